import { canonicalJson, isObject, parseObject } from '../internal/index.ts';
import type { JsonObject } from '../internal/index.ts';
import type { ToolUseBlock } from '../message/index.ts';

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** JSON text without escaped half surrogates (`\ud83d` alone): each becomes U+FFFD. Expects text of `JSON.stringify` or a model. */
export function wellFormedJson(json: string): string {
  const text = json.toWellFormed();
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text;
  return text.replace(/\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[^]/g, (escape) =>
    escape.length === 6 && escape[1] === 'u' ? '\ufffd' : escape,
  );
}

/**
 * The arguments as JSON text of an object: the model's own text while it says what the block says, so that prompt caches hold; else
 * the input; `{}` where the text was cut off.
 */
export function argumentsOf({ content, input }: ToolUseBlock): { argumentsText: string; input: JsonObject } {
  const stored = isObject(input) ? (input as JsonObject) : {};
  const said = content === null || content === undefined ? undefined : parseObject(content);
  if (said !== undefined && content !== null && isSame(said, stored)) return { argumentsText: wellFormedJson(content), input: stored };
  return { argumentsText: wellFormedJson(JSON.stringify(stored)), input: stored };
}

/** Mostly the members stand in the same order, and the cheap comparison says so. */
function isSame(said: JsonObject, stored: JsonObject): boolean {
  return JSON.stringify(said) === JSON.stringify(stored) || canonicalJson(said) === canonicalJson(stored);
}
