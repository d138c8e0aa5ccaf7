import { compatibleValidator, schemasOf, walkSchema } from './compatible.ts';
import type { RequestValidator } from './shared.ts';
import { isFields } from './shared.ts';

/** Judges a request as Kimi's thinking models do (PROVIDERS §10): fixed sampling, media as bytes, thinking passed back beside calls, strict schemas. */
export const validateKimiRequest: RequestValidator = compatibleValidator({
  members: ['stream_options', 'max_completion_tokens', 'stop', 'response_format', 'tool_choice', 'thinking', 'prompt_cache_key'],
  ranges: {},
  stopWords: 5,
  choices: ['auto', 'none'],
  named: false,
  formats: ['text', 'json_object', 'json_schema'],
  names: true,
  parts: ['image_url', 'video_url'],
  addresses: false,
  thinking: 'reasoning_content',
  thinkingBesideCalls: true,
  nullContent: true,
  own(body, problems) {
    const { thinking } = body;
    problems.check(!isFields(thinking) || thinking['type'] !== 'adaptive', 'thinking.type', 'enabled or disabled');
    schemasOf(body).forEach((schema, at) =>
      walkSchema(schema, (node) => {
        problems.check(!('anyOf' in node && 'type' in node) || node === schema, `tools[${at}]`, 'no type beside anyOf');
        problems.check(!Array.isArray(node['items']), `tools[${at}]`, 'tuples are prefixItems');
        problems.check(node['$ref'] === undefined || String(node['$ref']).startsWith('#/$defs/'), `tools[${at}]`, 'references lead into $defs');
      }),
    );
  },
});
