/** What one server that speaks Chat Completions accepts. Data, so a new server is a new line. */
export interface ChatProfile {
  readonly lengthField: 'max_completion_tokens' | 'max_tokens';
  /** Send the speaker's name with user and assistant messages. */
  readonly names: boolean;
  /** Characters of a tool call id. */
  readonly maxIdLength: number;
  /** Structured output is strict where its schema can be. */
  readonly strict: boolean;
  /** Known to keep answers to a schema; other servers may, may ignore it, or may refuse. */
  readonly structured: boolean;
}

/** What nearly every server takes: what an unknown one is sent. */
export const COMPATIBLE: ChatProfile = { lengthField: 'max_tokens', names: false, maxIdLength: Infinity, strict: false, structured: false };
