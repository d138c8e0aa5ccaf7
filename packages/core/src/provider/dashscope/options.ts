import type { ChatModelOptions } from '../../model/index.ts';
import type { DashScopeMediaKind } from './profile.ts';

export interface DashScopeChatModelOptions extends ChatModelOptions {
  /** Speak the OpenAI-compatible protocol of DashScope instead of its own. Default false. */
  readonly compatible?: boolean | undefined;
  /** In the compatible protocol: told, once for each, what options a request asks for that are not taken. Default: `process.emitWarning`, where there is one. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** The model takes media; in DashScope's own protocol it is then served at an endpoint of its own. Default: by its name. */
  readonly multimodal?: boolean | undefined;
  /** Media the model takes; what it does not take becomes a note. Default: by its name. */
  readonly input?: readonly DashScopeMediaKind[] | undefined;
  /**
   * Whether a model that can do both thinks, where a call does not say it by `thinkingBudget` or `reasoningEffort`. Default: the model's
   * own. A call that thinks is always asked for as a stream, also with `stream: false`.
   */
  readonly enableThinking?: boolean | undefined;
  /** Give earlier thinking back to the model, in each request. Default: only to models that need it. */
  readonly preserveThinking?: boolean | undefined;
  /** Let the model look things up on the web. Default: the model's own. */
  readonly enableSearch?: boolean | undefined;
  /** Ask a stream for what is new (true, the default), or for everything so far in each piece, which a few old models know only. What a caller sees is the same. Only for DashScope's own protocol. */
  readonly incrementalOutput?: boolean | undefined;
}
