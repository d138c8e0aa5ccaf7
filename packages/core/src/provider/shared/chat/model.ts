import { toolNames } from '../../../formatter/index.ts';
import type { Formatter } from '../../../formatter/index.ts';
import { collectResponse, estimateTokens } from '../../../model/index.ts';
import type { ChatModel, ChatModelOptions, NativeStructuredOutput } from '../../../model/index.ts';
import { endpointUrl, httpStreams, readEnv } from '../index.ts';
import { ChatFormatter } from './formatter.ts';
import { needsBytes } from './media.ts';
import { rulesFor } from './profile.ts';
import type { CompatibleProfile } from './profile.ts';
import { requestText } from './request.ts';
import { createDecoder } from './response.ts';
import { isThinking } from './thinking.ts';
import { createWarn } from './warnings.ts';

/** Who serves Chat Completions. */
export interface ChatServer {
  /** Stands in errors. */
  readonly provider: string;
  /** Variables of the key; the first that is set counts, and where none is, the first is named. */
  readonly keyVariables: readonly [string, ...string[]];
  readonly urlVariable: string;
  readonly publicUrl: string;
  /** What the server at this address accepts. */
  profileFor(url: string): CompatibleProfile;
  /** Default: whether the profile says so. */
  keepsToSchemas?(profile: CompatibleProfile, modelName: string): boolean;
}

export interface CompatibleChatModelOptions extends ChatModelOptions {
  /** Told, once for each, what options a request asks for that the server does not take. Default: `process.emitWarning`, where there is one. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export type ChatOptions = CompatibleChatModelOptions & { readonly strict?: boolean | undefined };

/** A model that speaks Chat Completions: the profile decides what is sent, the decoder reads every dialect. */
export function createChatModel(options: ChatOptions, server: ChatServer): Required<Omit<ChatModel, 'contextWindow'>> {
  const { modelName, stream = true, strict, countTokens = estimateTokens } = options;
  let target: Target | undefined; // made when first asked for, when the environment is read
  const targetNow = (): Target => (target ??= targetOf(options, server));
  const warn = createWarn(server.provider, options.onWarning);
  const streams = httpStreams(options, {
    provider: server.provider,
    get variable() {
      return keyVariableOf(server);
    },
    needsBytes: (block, isAnswer) => needsBytes(block, isAnswer, targetNow().profile.media),
    prepare(request, key) {
      const { url, profile, formatter } = targetNow();
      const messages = formatter.format(request.messages, { tools: request.tools, modelName, thinking: isThinking(request.options, profile) });
      const headers: Record<string, string> = key.value === undefined ? {} : { authorization: `Bearer ${key.value}` };
      return { url, headers, body: requestText(request, { modelName, stream, profile, strict, messages, warn }), errorCodes: profile.errors };
    },
    decoder: ({ tools, ...answer }) => createDecoder({ ...answer, names: toolNames(tools, targetNow().profile.reservedNames), profile: targetNow().profile }),
  });
  return {
    provider: server.provider,
    modelName,
    get nativeStructuredOutput(): NativeStructuredOutput {
      const { profile } = targetNow();
      return options.nativeStructuredOutput ?? server.keepsToSchemas?.(profile, modelName) ?? profile.structured;
    },
    stream: streams,
    call: (request, callOptions) => collectResponse(streams(request, callOptions)),
    countTokens,
  };
}

export function keyVariableOf({ keyVariables }: ChatServer): string {
  return keyVariables.find((name) => readEnv(name) !== undefined) ?? keyVariables[0];
}

interface Target {
  readonly url: string;
  readonly profile: CompatibleProfile;
  readonly formatter: Formatter;
}

function targetOf(options: ChatOptions, server: ChatServer): Target {
  const url = endpointUrl(options.baseUrl ?? readEnv(server.urlVariable) ?? server.publicUrl, '/chat/completions');
  const profile = server.profileFor(url);
  return { url, profile: rulesFor(profile, options.modelName), formatter: options.formatter ?? new ChatFormatter(profile) };
}
