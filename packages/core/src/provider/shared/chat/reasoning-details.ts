import { isObject } from '../../../internal/index.ts';
import type { JsonObject } from '../../../internal/index.ts';
import type { CompatibleProfile } from './profile.ts';
import { newsOf } from './tool-calls.ts';

/** The list `reasoning_details` put together from its deltas: texts of one index joined, everything else as it came last. */
export class ReasoningDetails {
  #parts: Record<string, unknown>[] = [];

  read(list: unknown, deltas: CompatibleProfile['deltas']): void {
    if (!Array.isArray(list)) return;
    for (const part of list as unknown[]) if (isObject(part)) this.#add(part, deltas);
  }

  /** The list, once. A single text is the block's own and is not said twice. */
  take(): JsonObject[] | undefined {
    const parts = this.#parts;
    this.#parts = [];
    if (parts.length === 0) return undefined;
    if (parts.length > 1) return parts as JsonObject[];
    const [{ text: _text, ...rest } = {}] = parts;
    return [rest as JsonObject];
  }

  #add(part: Record<string, unknown>, deltas: CompatibleProfile['deltas']): void {
    const known = this.#parts.find((one) => one['type'] === part['type'] && one['index'] === part['index'] && part['index'] !== undefined);
    if (known === undefined) {
      this.#parts.push({ ...part });
      return;
    }
    const said = textIn(known['text']);
    const text = textIn(part['text']);
    Object.assign(known, part, ...(said === '' && text === '' ? [] : [{ text: said + (deltas === 'new' ? text : newsOf(said, text)) }]));
  }
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
