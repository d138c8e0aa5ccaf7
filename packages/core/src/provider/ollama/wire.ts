/** A message of Ollama's `/api/chat`. */
export interface OllamaWireMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Bare base64, of users only. */
  readonly images?: readonly string[];
  readonly tool_calls?: readonly OllamaWireCall[];
  /** Of results: the tool, and the id of its call. */
  readonly tool_name?: string;
  readonly tool_call_id?: string;
}

export interface OllamaWireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: object };
}
