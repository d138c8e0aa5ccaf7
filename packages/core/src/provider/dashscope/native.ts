import { toolNames } from '../../formatter/index.ts';
import type { Formatter } from '../../formatter/index.ts';
import { httpStreams } from '../shared/index.ts';
import type { HttpStreams } from '../shared/index.ts';
import { KEY_VARIABLE, nativeUrl } from './address.ts';
import { ERROR_CODES, withDashScopeErrors } from './errors.ts';
import { DashScopeChatFormatter } from './formatter.ts';
import { needsBytes } from './media.ts';
import { RESERVED_NAMES } from './profile.ts';
import type { DashScopeChatModelOptions } from './options.ts';
import { ignoredIn, isIncremental, isInParts, requestText, settingsOf } from './request.ts';
import { createDecoder } from './response.ts';
import { isStreamed } from './thinking.ts';

/** Calls in DashScope's own protocol. The endpoint is the one that takes the form of content the formatter gave. */
export function nativeStreams(options: DashScopeChatModelOptions, provider: string): HttpStreams {
  const { modelName, preserveThinking } = options;
  const settings = settingsOf(options);
  const formatter: Formatter = options.formatter ?? new DashScopeChatFormatter({ multimodal: options.multimodal, input: options.input, replay: preserveThinking === true ? 'all' : undefined });
  const fetch = withDashScopeErrors(() => options.fetch ?? globalThis.fetch, { provider, modelName });
  return httpStreams({ ...options, fetch }, {
    provider,
    variable: KEY_VARIABLE,
    needsBytes,
    prepare(request, key) {
      const wire = formatter.format(request.messages, { tools: request.tools, modelName });
      const body = requestText(request, settings, wire);
      const url = nativeUrl(options.baseUrl, isInParts(wire) ? 'aigc/multimodal-generation/generation' : 'aigc/text-generation/generation');
      return { url, errorCodes: ERROR_CODES, headers: { ...(key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }), ...askingHeaders(isStreamed(request, settings), body) }, body };
    },
    decoder: ({ tools, request, ...answer }) => createDecoder({ ...answer, names: toolNames(tools, RESERVED_NAMES), incremental: !isStreamed(request, settings) || isIncremental(request, settings), ignored: ignoredIn(request, settings) }),
  });
}

/** A stream is asked for by a header; so are addresses of DashScope's own storage. */
function askingHeaders(stream: boolean, body: string): Record<string, string> {
  return {
    ...(stream ? { 'x-dashscope-sse': 'enable' } : {}),
    ...(STORED.test(body) ? { 'x-dashscope-ossresourceresolve': 'enable' } : {}),
  };
}

const STORED = /"(?:image|audio|video)":"oss:\/\//;
