import { isObject } from '../../internal/index.ts';
import type { JsonObject } from '../../internal/index.ts';
import type { Metadata } from '../../message/index.ts';

/** What Gemini gave with a part and wants back on that part. Stands in the block's metadata under `gemini`. */
export interface PartData {
  readonly thoughtSignature?: string | undefined;
  /** The call had an id of Gemini's own, so its result is to name it. */
  readonly hasId?: boolean | undefined;
}

const KEY = 'gemini';

/** The metadata of a block. `model`: signatures are read only by the model that wrote them. */
export function partMetadata({ thoughtSignature, hasId }: PartData, model: string): { metadata?: Metadata } {
  if (thoughtSignature === undefined && hasId !== true) return {};
  const data: JsonObject = { model, ...(thoughtSignature === undefined ? {} : { thoughtSignature }), ...(hasId === true ? { hasId } : {}) };
  return { metadata: { [KEY]: data } };
}

/** What the block holds for `model`: nothing of another provider, nothing of another model. AgentScope Java keeps the signature of a call without saying whose it is; only its Gemini model does. */
export function partData(metadata: Metadata | undefined, model: string): PartData {
  const own = metadata?.[KEY];
  if (!isObject(own)) return { thoughtSignature: signatureIn(metadata?.['thoughtSignature']) };
  if (own['model'] !== undefined && own['model'] !== model) return {};
  return { thoughtSignature: signatureIn(own['thoughtSignature']), hasId: own['hasId'] === true };
}

function signatureIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) ? value : undefined;
}
