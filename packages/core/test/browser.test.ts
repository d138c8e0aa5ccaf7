// In a real Chromium: the entry for pages folds every scenario and shows what it says. And what that costs to load.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { msgToJava2, parseMsg } from '../src/message/index.ts';
import { packageFile } from './support/package.ts';

const KB = 1024;
/** Gzipped bytes of what rebuilds messages in a page. Raise it on purpose only, and say why in the commit. */
const FOLD_CEILING = 12 * KB;
/** The same with the readers of every dialect. */
const ALL_CEILING = 18 * KB;

const browser = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const scenarios = new URL('../fixtures/wire/scenarios/', import.meta.url);
const names = (JSON.parse(readFileSync(new URL('index.json', scenarios), 'utf8')) as readonly { readonly name: string }[]).map(({ name }) => name);

const fold = await pageScript(`export { createFold, foldEvents, Msg } from '@agentscope/core/event';`);
const all = await pageScript(`export * from '@agentscope/core/event';`);

test(`the fold and its messages are ${sizeOf(fold)} gzipped in a page, at most ${FOLD_CEILING / KB} KB, without node: modules`, () => {
  expect(gzipSync(fold, { level: 9 }).length).toBeLessThanOrEqual(FOLD_CEILING);
  expect(fold).not.toContain('node:');
});

test(`with the readers of every dialect they are ${sizeOf(all)}, at most ${ALL_CEILING / KB} KB, without node: modules`, () => {
  expect(gzipSync(all, { level: 9 }).length).toBeLessThanOrEqual(ALL_CEILING);
  expect(all).not.toContain('node:');
});

const page = await pageScript(`
  import { createFold, foldEvents, parseEvent } from '@agentscope/core/event';
  for (const name of ${JSON.stringify(names)}) {
    const fold = createFold();
    const shown = document.body.appendChild(document.createElement('pre'));
    shown.id = name;
    const lines = (await (await fetch(name + '.events.jsonl')).text()).trim().split('\\n');
    for (const line of lines) {
      fold.apply(parseEvent(line));
      shown.textContent = fold.message()?.getTextContent() ?? '';
    }
    shown.dataset.message = JSON.stringify(fold.message());
    shown.dataset.folded = JSON.stringify(foldEvents(lines.map((line) => parseEvent(line))));
  }
  document.title = 'done';
`);
const server = createServer(({ url = '/' }, response) => {
  const file = new URL(`.${url}`, scenarios);
  if (url === '/page.js') response.setHeader('content-type', 'text/javascript').end(page);
  else if (url.endsWith('.jsonl')) response.end(readFileSync(file));
  else response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html><title>folding</title><body><script type="module" src="page.js"></script>');
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
afterAll(() => new Promise((closed) => server.close(closed)));

const missing = existsSync(browser) ? '' : ` (skipped: there is no ${browser}; install Chromium, or set CHROMIUM_PATH)`;
test(`S0-077 S0-004 a page in Chromium folds every scenario to its message and shows what it says${missing}`, { skip: missing !== '', timeout: 90_000 }, async () => {
  const window = await chromium.launch({ executablePath: browser, args: ['--no-sandbox'] });
  try {
    const tab = await window.newPage();
    const problems: string[] = [];
    tab.on('pageerror', (error) => problems.push(error.message));
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await tab.waitForFunction(`document.title === 'done'`, undefined, { timeout: 30_000 }).catch((error: unknown) => problems.push(String(error)));
    expect(problems).toEqual([]);
    for (const name of names) {
      const shown = tab.locator(`[id="${name}"]`);
      const msg = parseMsg(await shown.getAttribute('data-message'));
      expect(msgToJava2(msg), name).toEqual(JSON.parse(readFileSync(new URL(`${name}.msg.json`, scenarios), 'utf8')));
      expect(await shown.textContent(), name).toBe(msg.getTextContent());
      expect(await shown.getAttribute('data-folded'), name).toBe(JSON.stringify(msg));
    }
  } finally {
    await window.close();
  }
});

/** As a bundler for pages would make it, from the built package. */
async function pageScript(contents: string): Promise<string> {
  const { outputFiles } = await build({ stdin: { contents, resolveDir: packageFile('.') }, bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2023', write: false, logLevel: 'error' });
  return outputFiles[0]?.text ?? '';
}

function sizeOf(script: string): string {
  return `${(gzipSync(script, { level: 9 }).length / KB).toFixed(2)} KB`;
}
