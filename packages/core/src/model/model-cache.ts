import type { ModelContext, ModelCredential } from './context.ts';
import type { ChatModel } from './model.ts';

/** Models that are kept at most, over all tenants; past it the one that was asked for least lately goes. */
const MOST = 1_000;

interface Kept {
  readonly tenant: string | undefined;
  readonly credential: ModelCredential | undefined;
  readonly model: Promise<ChatModel>;
}

/** Models by id and tenant. Two that ask at once get the same one; one that could not be made is not kept. */
export class ModelCache {
  readonly #kept = new Map<string, Kept>();

  get(id: string, { tenant, credential }: ModelContext, make: () => Promise<ChatModel>): Promise<ChatModel> {
    if (tenant === undefined && credential !== undefined) return make();
    const key = JSON.stringify([tenant ?? null, id]);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const kept = known !== undefined && sameCredential(known.credential, credential) ? known : { tenant, credential, model: make() };
    this.#kept.set(key, kept); // at the end: it was asked for last
    if (this.#kept.size > MOST) this.#kept.delete(this.#kept.keys().next().value ?? '');
    kept.model.catch(() => this.#kept.get(key) === kept && this.#kept.delete(key));
    return kept.model;
  }

  /** Of one tenant, or all. */
  clear(tenant?: string): void {
    if (tenant === undefined) return this.#kept.clear();
    for (const [key, kept] of this.#kept) if (kept.tenant === tenant) this.#kept.delete(key);
  }
}

function sameCredential(a: ModelCredential = {}, b: ModelCredential = {}): boolean {
  return a.apiKey === b.apiKey && a.baseUrl === b.baseUrl && JSON.stringify(a.headers) === JSON.stringify(b.headers);
}
