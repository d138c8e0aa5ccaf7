import { createRequire } from 'node:module';
import type { HLJSApi, LanguageFn } from 'highlight.js';
import type { Look, Style } from '../style.ts';

/** Code above this many characters is shown as it is: colours are for reading, and this is more than a screen. */
const LONGEST = 20_000;

/** Code with the colours of its language; as it is where nobody knows the language. A language is loaded when it is first met. */
export function highlight(code: string, language: string, style: Style): string {
  const name = language.toLowerCase();
  if (style('x', 'bold') === 'x' || code.length > LONGEST || !knows(name)) return code;
  return toLooks(library().highlight(code, { language: moduleOf(name), ignoreIllegals: true }).value, style);
}

/** Short names people write behind a fence, where they are not the name of the module. */
const MODULES: Readonly<Record<string, string>> = {
  ts: 'typescript', tsx: 'typescript', mts: 'typescript', js: 'javascript', jsx: 'javascript', mjs: 'javascript', cjs: 'javascript', py: 'python', sh: 'bash', zsh: 'bash',
  console: 'shell', yml: 'yaml', html: 'xml', svg: 'xml', rs: 'rust', cs: 'csharp', 'c++': 'cpp', h: 'c', hpp: 'cpp', rb: 'ruby', kt: 'kotlin', md: 'markdown', toml: 'ini',
  jsonc: 'json', json5: 'json', jsonl: 'json', golang: 'go', patch: 'diff', docker: 'dockerfile', ps1: 'powershell', tex: 'latex',
};

function moduleOf(name: string): string {
  return Object.hasOwn(MODULES, name) ? (MODULES[name] ?? name) : name;
}

// Loaded at once when a line of code is to be shown, which an `import()` could not do in the middle of drawing.
const require = createRequire(import.meta.url);
let loaded: HLJSApi | undefined;

function library(): HLJSApi {
  return (loaded ??= require('highlight.js/lib/core') as HLJSApi);
}

function knows(name: string): boolean {
  const module = moduleOf(name);
  if (!/^[a-z0-9][a-z0-9-]*$/.test(module)) return false;
  if (library().getLanguage(module) !== undefined) return true;
  try {
    library().registerLanguage(module, require(`highlight.js/lib/languages/${module}`) as LanguageFn);
    return true;
  } catch {
    return false; // no such language
  }
}

/** The library speaks HTML: `<span class="hljs-keyword">`, and four entities. */
function toLooks(html: string, style: Style): string {
  const open: { readonly looks: readonly Look[]; text: string }[] = [{ looks: [], text: '' }];
  const add = (text: string): void => {
    const top = open.at(-1);
    if (top) top.text += text;
  };
  for (const [piece, span, end] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|[^<]+/g)) {
    if (span !== undefined) open.push({ looks: looksOf(span), text: '' });
    else if (end === undefined) add(unescaped(piece));
    else {
      const { looks, text } = open.pop() ?? { looks: [], text: '' };
      add(byLine(text, (line) => style(line, ...looks)));
    }
  }
  return open.map(({ text }) => text).join('');
}

/** Each line by itself, so that it may be cut from the others. */
function byLine(text: string, change: (line: string) => string): string {
  return text.split('\n').map(change).join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'", '&amp;': '&' };

function unescaped(html: string): string {
  return html.replace(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

const LOOKS: readonly (readonly [RegExp, readonly Look[]])[] = [
  [/comment|quote|meta/, ['dim']],
  [/deletion/, ['red']],
  [/addition|string|regexp|char/, ['green']],
  [/keyword|operator|built_in|selector-tag|section/, ['magenta']],
  [/number|literal|symbol|bullet/, ['yellow']],
  [/title|function|name|tag/, ['blue']],
  [/type|class|attr|property|variable\.constant|attribute/, ['cyan']],
];

function looksOf(classes: string): readonly Look[] {
  return LOOKS.find(([names]) => names.test(classes.replaceAll('hljs-', '')))?.[1] ?? [];
}
