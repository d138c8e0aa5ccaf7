/** A part of a message at the multimodal endpoint: an object keyed by what it holds. */
export interface DashScopePart {
  readonly text?: string;
  /** An address (`http`, `https`, `oss`) or a data URL; so are sound and film. */
  readonly image?: string;
  readonly audio?: string;
  readonly video?: string | readonly string[];
  readonly cache_control?: { readonly type: 'ephemeral' };
}

/** A message of DashScope's own protocol: `content` is text at the text endpoint, a list of parts at the multimodal one. */
export interface DashScopeWireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}
