import type { AnyTool, ModelPrice, PermissionMode } from '@agentscope/core';

/** What an agent of the terminal is made of. */
export interface AgentSettings {
  /** `<provider>:<name>`. Default: what the environment says, else the offline model. */
  readonly model?: string | undefined;
  /** Stands before every conversation. Default: that of the terminal's own agent. */
  readonly sysPrompt?: string | undefined;
  /** Instead of the terminal's own tools. Only where the configuration is a program. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** What tools may do. Default `'default'`: reading runs, everything else asks. */
  readonly mode?: PermissionMode | undefined;
  /** Tools that run unasked: `'<tool>'` or `'<tool>(<what>)'`. */
  readonly allow?: readonly string[] | undefined;
  /** Model calls of one reply, 1 or more. Default 10. */
  readonly maxIters?: number | undefined;
}

/** `agentscope.config.ts`, `.mjs` or `.json`. What stands here is weaker than the environment, and that than a flag. */
export interface CliConfig extends AgentSettings {
  /** By name, for `--agent <name>`; what one leaves out it has from the settings beside `agents`. */
  readonly agents?: Readonly<Record<string, AgentSettings>> | undefined;
  /** The agent without `--agent`. Default: the terminal's own, `Friday`. */
  readonly agent?: string | undefined;
  /** What a million tokens cost, by `<provider>:<name>`, in any one currency: the status line then counts it. Default: nobody knows. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Folder of the sessions, from where the configuration is. Default `.agentscope/sessions`. */
  readonly store?: string | undefined;
}

/** Only types: `export default defineConfig({ model: 'openai:gpt-5.5' })`. */
export function defineConfig(config: CliConfig): CliConfig {
  return config;
}
