/** One part: `text`, `inlineData`, `functionCall`, …, with its `thoughtSignature`. */
export type GeminiPart = { readonly [member: string]: unknown };

/** A turn of the Gemini API. */
export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly GeminiPart[];
}

/** What a request says: members of its body. */
export interface GeminiWire {
  readonly systemInstruction?: { readonly parts: readonly GeminiPart[] };
  readonly contents: readonly GeminiContent[];
}
