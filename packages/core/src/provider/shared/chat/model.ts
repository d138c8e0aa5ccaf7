import { toolNames } from '../../../formatter/index.ts';
import type { Formatter } from '../../../formatter/index.ts';
import type { ChatModelOptions } from '../../../model/index.ts';
import { endpointUrl, httpStreams, readEnv } from '../index.ts';
import type { HttpStreams } from '../index.ts';
import { needsBytes } from './media.ts';
import type { ChatProfile } from './profile.ts';
import { requestText } from './request.ts';
import { createDecoder } from './response.ts';

/** Who serves Chat Completions, and how. */
export interface ChatServer {
  /** Stands in errors. */
  readonly provider: string;
  readonly keyVariable: string;
  readonly urlVariable: string;
  readonly publicUrl: string;
  /** What the server at this address accepts. */
  profileFor(url: string): ChatProfile;
  /** The formatter where the caller gave none. */
  formatterFor(profile: ChatProfile): Formatter;
}

export interface ChatOptions extends ChatModelOptions {
  readonly strict?: boolean | undefined;
}

/** The streams of a model that speaks Chat Completions: the profile decides what is sent, the decoder reads every dialect. */
export function chatStreams(options: ChatOptions, server: ChatServer): HttpStreams {
  const { modelName, stream = true, strict } = options;
  let target: Target | undefined; // made at the first call, when the environment is read
  return httpStreams(options, {
    provider: server.provider,
    variable: server.keyVariable,
    needsBytes,
    prepare(request, key) {
      target ??= targetOf(options, server);
      const { url, profile, formatter } = target;
      const messages = formatter.format(request.messages, { tools: request.tools, modelName });
      return { url, headers: key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }, body: requestText(request, { modelName, stream, profile, strict, messages }) };
    },
    decoder: ({ tools, ...answer }) => createDecoder({ ...answer, names: toolNames(tools) }),
  });
}

export function chatUrl({ baseUrl }: ChatModelOptions, { urlVariable, publicUrl }: ChatServer): string {
  return endpointUrl(baseUrl ?? readEnv(urlVariable) ?? publicUrl, '/chat/completions');
}

interface Target {
  readonly url: string;
  readonly profile: ChatProfile;
  readonly formatter: Formatter;
}

function targetOf(options: ChatOptions, server: ChatServer): Target {
  const url = chatUrl(options, server);
  const profile = server.profileFor(url);
  return { url, profile, formatter: options.formatter ?? server.formatterFor(profile) };
}
