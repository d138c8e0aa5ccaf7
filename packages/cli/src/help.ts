import { readFileSync } from 'node:fs';

export const HELP = `agentscope: talk to an agent in the terminal.

  agentscope [chat]                 a chat
  agentscope -m <text>              one turn: prints the answer, then ends
  agentscope sessions <command>     list, show, export, fork or delete kept conversations (sessions --help)
  agentscope replay <id>            plays a kept conversation again (replay --help)
  agentscope models                 which models there are, and for which a key is set (models --help)
  agentscope init [folder]          a small project with an agent, a tool, a test and a program
  agentscope doctor                 whether everything is there: keys, model, sessions, terminal
  agentscope config                 what is configured, and who says so (config --help)

  -m, --message <text>   what to say to the agent; "-": what stands on stdin
      --model <id>       <provider>:<name>, e.g. openai:gpt-5.5, or offline:demo
      --agent <name>     one of the agents of agentscope.config.ts, .mjs or .json
      --config <file>    another configuration
      --session <id>     keep the conversation, and go on with it next time
      --continue         finish a reply that was cut off (with --session)
      --store <folder>   where sessions are kept (default .agentscope/sessions)
      --mode <mode>      what tools may do: default, accept_edits, explore, bypass, dont_ask
      --allow <rule>     a tool that runs unasked: <tool> or "<tool>(<what>)", * for any text; again for more
      --plain            line by line, no colours, nothing painted over: for screen readers
      --max-iters <n>    model calls of one reply (default 10); then it sums up and ends
With -m or --continue:
      --json             the reply as one JSON object a line, nothing else
      --events           one event a line as JSON, nothing else
      --timeout <s>      interrupts the reply after so many seconds
  -h, --help
  -v, --version

In the chat /help lists what there is. Ctrl-C interrupts a reply; at the prompt it leaves. NO_COLOR is heeded.

The model is --model, else AGENTSCOPE_MODEL, else what the configuration says, else with OPENAI_API_KEY
openai:<OPENAI_MODEL or gpt-5.5> (at OPENAI_BASE_URL, if set), else the first provider whose key is set, else what a
local Ollama has (OLLAMA_MODEL or the newest), else offline:demo, which needs no network.

Exit codes: 0 done (also: nothing to continue) · 1 failed · 2 the command line was wrong (also: there is no such
session) · 3 waits for a person (a question is open and there is no terminal) · 4 stopped before its end (the limit
of model calls, a hook or tool, every call refused) · 124 --timeout · 130 interrupted
`;

/** Of this package. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String((manifest as { readonly version: unknown }).version);
}
