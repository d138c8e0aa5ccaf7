import { AgentScopeError } from '../error/index.ts';
import { isObject } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { ToolResultBlock, ToolUseBlock } from '../message/index.ts';
import { nothingSaved, stateOwner } from '../state/index.ts';
import type { StateModule, StateOwner, StateStore } from '../state/index.ts';
import { adaptTool } from './define-tool.ts';
import { joinPieces } from './pieces.ts';
import type { Piece } from './pieces.ts';
import { withPresets } from './presets.ts';
import { isTool, toolsOf } from './service.ts';
import { createToolContext } from './tool-context.ts';
import type { AnyTool, ToolContext, ToolOutput } from './tool.ts';

/** Where tools come from besides code; MCP implements it. Asked once, when first needed. */
export interface ToolSource {
  listTools(): Promise<readonly AnyTool[]>;
  close?(): Promise<void>;
}
/** Tools a model sees together or not at all. */
export interface ToolGroup {
  readonly name: string;
  readonly description: string;
  /** Said to the model while the group is active. */
  readonly instructions?: string;
  readonly tools: readonly AnyTool[];
  /** Whether conversations begin with it. Default true. */
  readonly active?: boolean;
}
export interface ToolkitOptions {
  readonly tools?: readonly AnyTool[];
  readonly groups?: readonly ToolGroup[];
  readonly sources?: readonly ToolSource[];
  /** Concurrency-safe calls of one turn run together. Default true. */
  readonly parallel?: boolean;
  /** Milliseconds for tools that give no time limit of their own. Default 120 000. */
  readonly timeoutMs?: number;
}
/** What a model is told of a tool; the shape of `ToolSchema` in `model/`. */
export type ToolDescription = Pick<AnyTool, 'name' | 'description' | 'inputSchema'>;
/** Which groups count: those of the conversation, else those that are active by default. */
export interface GroupSelection {
  readonly activeGroups?: readonly string[] | undefined;
}
/** A tool that may be called now, or why there is none, said so that a model can mend it. */
export type ToolLookup = { readonly tool: AnyTool; readonly problem?: never } | { readonly tool?: never; readonly problem: string };

/** What an agent can do. Configuration only: which groups are active in a conversation is passed in, never kept here. */
export class Toolkit implements StateModule {
  readonly componentName: string = 'toolkit';
  readonly parallel: boolean;
  readonly #timeoutMs: number | undefined;
  readonly #entries = new Map<string, { readonly tool: AnyTool; readonly group: string | undefined }>();
  readonly #groups = new Map<string, Omit<ToolGroup, 'tools'>>();
  readonly #sources: readonly ToolSource[];
  /** See `plus`. */
  #base: Toolkit | undefined;
  #loading: Promise<void> | undefined;
  /** What is shown by default, until a tool or group is added: the same list lets formatters keep what they made of it. */
  #shown: readonly ToolDescription[] | undefined;
  #shownOf: readonly ToolDescription[] | undefined;

  /** @throws AgentScopeError `config/invalid` when two tools have one name, or what is given is no tool. */
  constructor(given: readonly AnyTool[] | ToolkitOptions = {}) {
    const { tools = [], groups = [], sources = [], parallel = true, timeoutMs } = isList(given) ? { tools: given } : given;
    this.parallel = parallel;
    this.#timeoutMs = timeoutMs;
    this.#sources = sources;
    for (const tool of tools) this.#add(tool);
    for (const group of groups) this.createToolGroup(group);
  }

  /**
   * Adds a tool, or every tool found on a service: fields of an instance (inherited ones too), static fields of a class. `execute`
   * sees the service as `this` when it is written as a method. `presets` are arguments the model neither sees nor chooses.
   *
   * @throws AgentScopeError `config/invalid`: a name twice, an unknown group, no tool found, presets that are no fields of the tool.
   */
  registerTool(tool: AnyTool, options?: { group?: string; presets?: JsonObject }): this;
  registerTool(service: object, options?: { group?: string }): this;
  registerTool(given: object, { group, presets }: { group?: string; presets?: JsonObject } = {}): this {
    if (group !== undefined && !this.#groups.has(group)) throw invalid('group', `There is no tool group "${group}". Make it first with createToolGroup.`);
    const tools = isTool(given) ? [given] : toolsOf(given).map((tool) => adaptTool(tool, { owner: given }));
    if (tools.length === 0) throw invalid('tools', 'No tool was found on the registered object. Fields made with defineTool are found; methods alone are not.');
    for (const tool of tools) this.#add(presets === undefined ? tool : withPresets(tool, presets), group);
    return this;
  }

  /** The tools of this one, also those it gets later, and some more. @throws AgentScopeError `config/invalid` when two have one name */
  plus(tools: readonly AnyTool[]): Toolkit {
    const more = new Toolkit({ parallel: this.parallel, ...(this.#timeoutMs === undefined ? {} : { timeoutMs: this.#timeoutMs }) });
    more.#base = this;
    for (const tool of tools) more.#add(tool);
    return more;
  }

  createToolGroup({ tools = [], ...group }: Omit<ToolGroup, 'tools'> & { tools?: readonly AnyTool[] }): this {
    if (this.#groups.has(group.name)) throw invalid('groups', `There are two tool groups named "${group.name}".`);
    this.#groups.set(group.name, group);
    this.#shown = undefined;
    for (const tool of tools) this.#add(tool, group.name);
    return this;
  }

  /** Its groups, without their tools. */
  get groups(): readonly Omit<ToolGroup, 'tools'>[] {
    return [...(this.#base?.groups ?? []), ...this.#groups.values()];
  }

  /** Lists the sources, once; a failure is thrown and the next call tries again. Tools of sources are known only after it. */
  async load(): Promise<void> {
    await this.#base?.load();
    if (this.#sources.length === 0) return;
    this.#loading ??= this.#loadSources();
    try {
      await this.#loading;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }

  /** What a model is shown: tools without a group, and those of active groups, in order of registration. */
  getToolSchemas({ activeGroups }: GroupSelection = {}): readonly ToolDescription[] {
    const base = this.#base?.getToolSchemas(activeGroups === undefined ? {} : { activeGroups });
    if (activeGroups !== undefined) return [...(base ?? []), ...this.#describe(activeGroups)];
    if (base !== this.#shownOf) this.#shown = undefined;
    this.#shownOf = base;
    return (this.#shown ??= [...(base ?? []), ...this.#describe(undefined)]);
  }

  #describe(activeGroups: readonly string[] | undefined): readonly ToolDescription[] {
    const active = this.#activeNames(activeGroups);
    return [...this.#entries.values()]
      .filter(({ group }) => group === undefined || active.has(group))
      .map(({ tool: { name, description, inputSchema } }) => ({ name, description, inputSchema }));
  }

  /** The tool of that name, whatever its group. */
  find(name: string): AnyTool | undefined {
    return this.#entries.get(name)?.tool ?? this.#base?.find(name);
  }

  /** The tool a model may call by that name now; else what to tell it. */
  lookup(name: string, { activeGroups }: GroupSelection = {}): ToolLookup {
    const entry = this.#entryOf(name);
    if (entry === undefined) return { problem: `There is no tool named ${JSON.stringify(String(name).slice(0, 80))}. ${this.#offer(activeGroups)}` };
    const { tool, group } = entry;
    if (group === undefined || this.#activeNames(activeGroups).has(group)) return { tool };
    return { problem: `The tool "${name}" belongs to the group "${group}", which is not active. Activate the group first.` };
  }

  /** Runs one call at the developer's word: arguments are validated, no permission is asked. What goes wrong is a result with state `error`. */
  async callTool(call: Pick<ToolUseBlock, 'id' | 'name' | 'input'>, context: Partial<ToolContext> = {}): Promise<ToolResultBlock> {
    await this.load();
    const { tool, problem } = this.find(call.name) ? { tool: this.find(call.name), problem: '' } : this.lookup(call.name);
    const output = tool === undefined ? failed(problem) : await runWhole(tool, call.input, createToolContext({ toolCallId: call.id, ...context }));
    return { type: 'tool_result', id: call.id, name: call.name, output: output.content, state: output.state, metadata: output.metadata };
  }

  /** Saves which of its groups are active by default. The groups of a conversation are that session's state. */
  async saveTo(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<void> {
    await store.save(stateOwner(key), component, { activated_groups: [...this.#activeNames(undefined)] });
  }

  /**
   * Exactly the saved groups are active by default from now on; the name of a group it does not have is passed over.
   *
   * @throws AgentScopeError `session/not-found` when nothing was saved
   */
  async loadFrom(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<void> {
    if (!(await this.loadIfExists(store, key, component))) throw nothingSaved({ key: stateOwner(key), component });
  }

  async loadIfExists(store: StateStore, key: StateOwner | string, component: string = this.componentName): Promise<boolean> {
    const saved = await store.get(stateOwner(key), component);
    if (saved === undefined) return false;
    const names = isObject(saved) ? saved['activated_groups'] : undefined;
    if (!Array.isArray(names)) throw invalid('toolkit', `What was saved as "${component}" is no state of a toolkit: it has no list \`activated_groups\`.`);
    for (const group of this.groups) this.#groups.set(group.name, { ...group, active: names.includes(group.name) });
    this.#shown = undefined;
    return true;
  }

  #entryOf(name: string): { readonly tool: AnyTool; readonly group: string | undefined } | undefined {
    const own = this.#entries.get(name);
    return own !== undefined || this.#base === undefined ? own : this.#base.#entryOf(name);
  }

  #add(tool: AnyTool, group?: string): void {
    if (!isTool(tool)) throw invalid('tools', 'A toolkit takes tools made with defineTool; something else was given.');
    if (this.#entryOf(tool.name)) throw invalid('tools', `There are two tools named "${tool.name}". Rename one of them.`);
    this.#shown = undefined;
    this.#entries.set(tool.name, { tool: adaptTool(tool, { timeoutMs: this.#timeoutMs }), group });
  }

  async #loadSources(): Promise<void> {
    const lists = await Promise.all(this.#sources.map((source) => source.listTools()));
    for (const tool of lists.flat()) this.#add(tool);
  }

  #activeNames(given: readonly string[] | undefined): ReadonlySet<string> {
    return new Set(given ?? this.groups.filter(({ active = true }) => active).map(({ name }) => name));
  }

  #offer(activeGroups: readonly string[] | undefined): string {
    const names = this.getToolSchemas({ activeGroups }).map(({ name }) => name);
    return names.length === 0 ? 'There are no tools.' : `Tools: ${names.slice(0, 50).join(', ')}.`;
  }
}

async function runWhole(tool: AnyTool, input: JsonObject, context: ToolContext): Promise<ToolOutput> {
  const parsed = await tool.parseInput(input);
  if (!parsed.ok) return failed(parsed.message);
  const pieces: Piece[] = [];
  const output = await tool.execute(parsed.input, context, (piece) => {
    pieces.push(piece);
    context.emit(piece);
  });
  return pieces.length === 0 ? output : { ...output, content: joinPieces([...pieces, ...output.content]) };
}

function failed(problem: string): ToolOutput {
  return { content: [{ type: 'text', text: `[ERROR] ${problem}` }], state: 'error', metadata: {} };
}

function isList(given: readonly AnyTool[] | ToolkitOptions): given is readonly AnyTool[] {
  return Array.isArray(given);
}

function invalid(option: string, message: string): AgentScopeError<'config/invalid'> {
  return new AgentScopeError('config/invalid', message, { details: { option } });
}
