import { AgentScopeError } from '../error/index.ts';
import type { Memory } from '../memory/index.ts';
import { journalOf, keyText, openJournal, queueOf } from '../session/index.ts';
import type { FullSessionKey, Journal } from '../session/index.ts';
import type { AgentState, StateModule, StatePlace } from '../state/index.ts';
import type { AgentCore } from './agent-core.ts';
import { journalOptions } from './config.ts';
import { importState } from './import-state.ts';
import { toRemember } from './memory-option.ts';
import { isWithin } from './reentry.ts';
import { readSavedState, saveState } from './saved-state.ts';

/** Saves the default session as a named value, and the memory of the option beside it. In the agent's own store and session: flushes. */
export async function saveAgent(core: AgentCore, place: StatePlace): Promise<void> {
  const { config } = core;
  const key = core.defaultKey;
  if (isOwnPlace(core, place)) await journalOf(config.session, key)?.flush();
  else await place.store.save(place.key, place.component, saveState(await core.read(key), { key, agentName: config.name }));
  const memory = config.memories?.of(key).memory;
  if (isStateModule(memory)) await memory.saveTo(place.store, place.key, memoryName(place));
}

/** Makes the default session what was saved; false when nothing was, and then nothing changes. */
export async function loadAgent(core: AgentCore, place: StatePlace): Promise<boolean> {
  if (isOwnPlace(core, place)) return loadOwn(core, place);
  const saved = await place.store.get(place.key, place.component);
  if (saved === undefined) return false;
  const state = readSavedState(saved);
  await replaceConversation(core, core.defaultKey, { state });
  await loadMemory(core, place);
  return true;
}

/**
 * Puts a state into a session that holds nothing yet.
 *
 * @throws AgentScopeError `session/conflict` where it holds something
 */
export async function importInto(core: AgentCore, key: FullSessionKey, state: AgentState): Promise<void> {
  await replaceConversation(core, key, { state, check: checkEmpty });
  await refillMemory(core, key);
}

/** The memory of a session whose context was made anew holds what that holds. */
export async function refillMemory(core: AgentCore, key: FullSessionKey): Promise<void> {
  const { memories } = core.config;
  if (memories?.serves(key)) await memories.of(key).replace(toRemember(await core.read(key)));
}

interface Replacement {
  readonly state: AgentState;
  check?(journal: Journal): void;
}

/** In its turn like a call, so that it never comes between the steps of a reply. */
async function replaceConversation({ config }: AgentCore, key: FullSessionKey, { state, check }: Replacement): Promise<void> {
  const { session } = config;
  config.memories?.of(key); // refuses a session the memory is not for
  const queue = queueOf(session, key);
  if (isWithin(queue)) throw reentrant(key);
  await queue.run(async () => {
    const journal = await openJournal(session, key, journalOptions(config));
    try {
      check?.(journal);
      importState(journal, state, config.name);
      await journal.flush();
    } finally {
      await journal.release();
    }
  });
}

function checkEmpty(journal: Journal): void {
  if (journal.context().length === 0 && journal.stateNames().length === 0) return;
  throw new AgentScopeError('session/conflict', 'A state can be imported into an empty session only, and this one holds something. Use another session id, or delete the session first.', {
    details: { expectedSeq: 0, actualSeq: journal.lastSeq },
  });
}

/** The journal is the state. What was saved of the memory is loaded all the same: it lives in the process. */
async function loadOwn(core: AgentCore, place: StatePlace): Promise<boolean> {
  const { session } = core.config;
  await journalOf(session, core.defaultKey)?.flush();
  if (!(await session.exists(core.defaultKey))) return false;
  const memory = core.config.memories?.of(core.defaultKey).memory;
  if (isStateModule(memory)) await memory.loadIfExists(place.store, place.key, memoryName(place));
  return true;
}

/** A memory that can be loaded is; any other one, and one that was not saved, gets the messages of the conversation. */
async function loadMemory(core: AgentCore, place: StatePlace): Promise<void> {
  const kept = core.config.memories?.of(core.defaultKey);
  if (!kept) return;
  if (isStateModule(kept.memory) && (await kept.memory.loadIfExists(place.store, place.key, memoryName(place)))) return kept.forget();
  await kept.replace(toRemember(await core.read(core.defaultKey)));
}

function isOwnPlace(core: AgentCore, { store, key }: StatePlace): boolean {
  return (store as object) === core.config.session && keyText(key) === keyText(core.defaultKey);
}

function isStateModule(memory: Memory | undefined): memory is Memory & StateModule {
  return memory !== undefined && 'saveTo' in memory && 'loadIfExists' in memory;
}

function memoryName({ component }: StatePlace): string {
  return `${component}.memory`;
}

function reentrant({ sessionId }: FullSessionKey): AgentScopeError<'session/reentrant'> {
  return new AgentScopeError('session/reentrant', 'A tool tried to load the session it is running in, which would wait for itself.', { details: { sessionId } });
}
