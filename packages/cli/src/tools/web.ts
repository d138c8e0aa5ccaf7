import { AgentScopeError, defineTool } from '@agentscope/core';
import type { AnyTool, MediaPolicy } from '@agentscope/core';

const POLICY: MediaPolicy = { maxBytes: 2_000_000, timeoutMs: 20_000 };
const MOST_CHARACTERS = 50_000;

/** Hosts of private networks that are let through all the same, as `10.0.0.5:8080`; for people who know what answers there. */
const ALLOWED_HOSTS = 'AGENTSCOPE_FETCH_HOSTS';

export const fetchUrl: AnyTool = defineTool({
  name: 'fetch_url',
  description: 'Fetches a web page or text from an http or https address and returns its text.',
  input: {
    type: 'object',
    properties: { url: { type: 'string', format: 'uri', description: 'For example https://example.org/page' } },
    required: ['url'],
    additionalProperties: false,
  },
  readOnly: true,
  // Reading, but who is asked for a page learns something: each new host is a question.
  checkPermission({ url }) {
    if (!URL.canParse(url)) return 'passthrough';
    const { host, origin } = new URL(url);
    return { behavior: 'ask', message: `Fetch a page from ${host}.`, suggestedRules: [{ toolName: 'fetch_url', ruleContent: `${origin}/*`, behavior: 'allow' }] };
  },
  matchRule: (content, { url }) => typeof url === 'string' && isBelow(url, content),
  async execute({ url }, { signal }) {
    const { download } = await import('@agentscope/core/node');
    try {
      const { bytes, mediaType = '' } = await download(url, { ...POLICY, allowedHosts: allowedHosts() }, signal);
      return textOf(bytes, mediaType);
    } catch (error) {
      throw AgentScopeError.is(error) ? new Error(wordsFor(error)) : error;
    }
  },
});

/** `https://example.org/*`: everything of that host, or below that path. Without the star: this very address. */
function isBelow(url: string, content: string): boolean {
  const pattern = content.endsWith('*') ? content.slice(0, -1) : content;
  if (pattern === '') return true;
  const [wanted, allowed] = [new URL(url), new URL(pattern)];
  return wanted.origin === allowed.origin && (content.endsWith('*') ? wanted.href.startsWith(allowed.href) : wanted.href === allowed.href);
}

function allowedHosts(): readonly string[] {
  return (process.env[ALLOWED_HOSTS] ?? '').split(/[\s,]+/).filter((host) => host !== '');
}

/** For the model, without the names of options it does not have. */
function wordsFor(error: AgentScopeError): string {
  if (AgentScopeError.is(error, 'media/blocked')) return `${error.details.host === '' ? 'That address' : error.details.host} is not fetched: only http and https outside of private networks, and at most five redirects.`;
  if (AgentScopeError.is(error, 'media/too-large')) return `The page is larger than ${error.details.limitBytes} bytes.`;
  if (AgentScopeError.is(error, 'model/timeout')) return 'The page did not come in time.';
  if (AgentScopeError.is(error, 'model/network')) return `The page could not be fetched${error.details.status === undefined ? '' : ` (HTTP ${error.details.status})`}.`;
  return error.message;
}

function textOf(bytes: Uint8Array, mediaType: string): string {
  const isHtml = /html/.test(mediaType);
  if (!isHtml && mediaType !== '' && !/^text\/|json|xml|javascript|yaml/.test(mediaType)) return `This is ${mediaType} with ${bytes.length} bytes, no text.`;
  const text = new TextDecoder().decode(bytes);
  const words = isHtml ? wordsOf(text) : text.trim();
  return words.length > MOST_CHARACTERS ? `${words.slice(0, MOST_CHARACTERS)}\n… cut after ${MOST_CHARACTERS} characters` : words;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The words of a page, one line a block: for reading, not for taking apart. Every step is one pass, however the page is made. */
function wordsOf(html: string): string {
  const title = /<title[^<>]*>([^<]*)/i.exec(html)?.[1]?.trim() ?? '';
  const body = withoutHidden(html)
    .replace(/<(?:br|\/?(?:p|div|li|ul|ol|h[1-6]|tr|table|section|article|pre|blockquote))\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '');
  return `${title}\n\n${body}`
    .replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{1,10});/gi, (entity, name: string) => letterOf(name.toLowerCase()) ?? entity)
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const HIDDEN = /<!--|<(script|style|head|noscript|svg)\b/gi;

/** Without what is never seen: each such part up to its end, or the end of the page. */
function withoutHidden(html: string): string {
  const lower = html.toLowerCase();
  const kept: string[] = [];
  let at = 0;
  HIDDEN.lastIndex = 0;
  for (let found = HIDDEN.exec(html); found !== null; found = HIDDEN.exec(html)) {
    kept.push(html.slice(at, found.index));
    const end = found[1] === undefined ? '-->' : `</${found[1].toLowerCase()}`;
    const from = lower.indexOf(end, found.index);
    at = from < 0 ? html.length : from + end.length;
    if (found[1] !== undefined && from >= 0) at = Math.max(at, lower.indexOf('>', at) + 1 || html.length);
    HIDDEN.lastIndex = at;
  }
  return kept.join(' ') + html.slice(at);
}

function letterOf(entity: string): string | undefined {
  if (!entity.startsWith('#')) return Object.hasOwn(ENTITIES, entity) ? ENTITIES[entity] : undefined;
  const code = Number(entity.startsWith('#x') ? `0${entity.slice(1)}` : entity.slice(1));
  return code > 0x10ffff ? undefined : String.fromCodePoint(code);
}
