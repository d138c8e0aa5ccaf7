import { expect, test, vi } from 'vitest';
import { playServer } from '../../../../test/play-server.ts';
import type { Player } from '../../../../test/play-server.ts';
import { AgentScopeError } from '../../../error/index.ts';
import { Msg } from '../../../message/index.ts';
import type { ContentBlock } from '../../../message/index.ts';
import type { MediaPolicy } from '../../../model/index.ts';
import { download } from './download.ts';
import { createMediaInliner } from './inline-media.ts';
import { isPrivateHost } from './private-address.ts';

const PICTURE = Buffer.from([1, 2, 3, 4]);
const picture: Player = (_request, response) => response.writeHead(200, { 'content-type': 'image/png; x=y' }).end(PICTURE);

async function codeOf(address: string, policy: MediaPolicy, signal?: AbortSignal): Promise<string> {
  try {
    await download(address, policy, signal);
  } catch (error) {
    return AgentScopeError.is(error) ? error.code : String(error);
  }
  return 'downloaded';
}

test('private addresses are known in every spelling a URL may have', () => {
  const host = (address: string): string => new URL(address).hostname;
  const inside = ['http://127.0.0.1', 'http://2130706433', 'http://0x7f.1', 'http://0177.0.0.1', 'http://localhost', 'http://LOCALHOST.', 'http://printer', 'http://a.local', 'http://x.internal', 'http://metadata.google.internal', 'http://169.254.169.254', 'http://10.1.2.3', 'http://172.31.0.1', 'http://192.168.0.1', 'http://100.64.0.1', 'http://0.0.0.0', 'http://224.0.0.1', 'http://255.255.255.255', 'http://[::1]', 'http://[::]', 'http://[::ffff:127.0.0.1]', 'http://[::ffff:a00:1]', 'http://[fd00::1]', 'http://[fe80::1]', 'http://[64:ff9b::7f00:1]', 'http://[2002:7f00:1::]', 'http://[2001:db8::1]', 'http://[ff02::1]', 'http://192.0.2.1', 'http://198.18.0.1'];
  expect(inside.filter((address) => !isPrivateHost(host(address)))).toEqual([]);
  const outside = ['http://example.com', 'http://8.8.8.8', 'http://172.32.0.1', 'http://100.128.0.1', 'http://[2606:4700::1111]', 'http://[64:ff9b::808:808]', 'http://localhost.example.com', 'http://internal.example'];
  expect(outside.filter((address) => isPrivateHost(host(address)))).toEqual([]);
});

test('private networks are refused before anything is sent, unless they are allowed', async () => {
  const server = await playServer(picture);
  expect(await codeOf(`${server.baseUrl}/a.png`, {})).toBe('media/blocked');
  expect(await codeOf(server.baseUrl.replace('127.0.0.1', 'localhost'), {})).toBe('media/blocked');
  expect(server.requests).toHaveLength(0);
  expect(await codeOf(server.baseUrl, { allowPrivate: true })).toBe('downloaded');
  expect(await codeOf(server.baseUrl, { allowedHosts: ['127.0.0.1'] })).toBe('downloaded');
  expect(await codeOf(server.baseUrl, { allowedHosts: [new URL(server.baseUrl).host] })).toBe('downloaded');
  expect(await codeOf('file:///etc/passwd', { allowPrivate: true })).toBe('media/blocked');
  expect(await codeOf('not a url', { allowPrivate: true })).toBe('media/blocked');
});

test('every hop of a redirect is judged; too many end it', async () => {
  const inner = await playServer(picture);
  const outer = await playServer((_request, response) => response.writeHead(302, { location: inner.baseUrl.replace('127.0.0.1', '127.0.0.2') }).end());
  const { host } = new URL(outer.baseUrl);
  expect(await codeOf(outer.baseUrl, { allowedHosts: [host] })).toBe('media/blocked');
  expect(inner.requests).toHaveLength(0);
  const around = await playServer((_request, response) => response.writeHead(302, { location: '/again' }).end());
  expect(await codeOf(around.baseUrl, { allowPrivate: true })).toBe('media/blocked');
  expect(around.requests).toHaveLength(6);
});

test('a name that resolves to a private address is refused', async () => {
  const lookup = vi.fn<() => Promise<{ address: string }[]>>(async () => [{ address: '93.184.216.34' }, { address: '10.0.0.1' }]);
  const spy = vi.spyOn(process, 'getBuiltinModule').mockImplementation(((id: string) => (id === 'node:dns/promises' ? { lookup } : undefined)) as never);
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.reject(new Error('must not be called')));
  try {
    expect(await codeOf('https://rebind.example.com/a.png', { fetch })).toBe('media/blocked');
  } finally {
    spy.mockRestore();
  }
  expect([lookup.mock.calls.length, fetch.mock.calls.length]).toEqual([1, 0]);
});

test('too much is cut, said or not; too slow is a time-out; an abort throws its reason; a dead host is the network', async () => {
  const said = await playServer((_request, response) => response.writeHead(200, { 'content-length': '1000000' }).write('x'));
  expect(await codeOf(said.baseUrl, { allowPrivate: true, maxBytes: 1000 })).toBe('media/too-large');
  const unsaid = await playServer(async (_request, response) => {
    while (!response.destroyed && response.writable) {
      response.write('x'.repeat(500));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  expect(await codeOf(unsaid.baseUrl, { allowPrivate: true, maxBytes: 1000 })).toBe('media/too-large');
  await vi.waitFor(() => expect([said.open(), unsaid.open()]).toEqual([0, 0]));

  const silent = await playServer((_request, response) => response.writeHead(200).write('x'));
  expect(await codeOf(silent.baseUrl, { allowPrivate: true, timeoutMs: 50 })).toBe('model/timeout');
  const controller = new AbortController();
  const waiting = codeOf(silent.baseUrl, { allowPrivate: true }, controller.signal);
  setTimeout(() => controller.abort('enough'), 20);
  expect(await waiting).toBe('enough');
  await vi.waitFor(() => expect(silent.open()).toBe(0));

  const gone = await playServer((_request, response) => response.writeHead(404).end());
  expect(await codeOf(gone.baseUrl, { allowPrivate: true })).toBe('model/network');
  await gone.close();
  expect(await codeOf(gone.baseUrl, { allowPrivate: true })).toBe('model/network');
});

test('a loader of one\'s own is asked first, and its bytes are limited too', async () => {
  const load = (url: URL): { bytes: Uint8Array; mediaType: string } | undefined => (url.protocol === 'file:' ? { bytes: PICTURE, mediaType: 'image/png' } : undefined);
  expect(await download('file:///a.png', { load }, undefined)).toEqual({ bytes: PICTURE, mediaType: 'image/png' });
  expect(await codeOf('file:///a.png', { load, maxBytes: 3 })).toBe('media/too-large');
  expect(await codeOf('http://127.0.0.1/', { load })).toBe('media/blocked');
});

test('an address is downloaded once, in messages and results; what needs no bytes is the same object', async () => {
  const server = await playServer(picture);
  const data = (url: string): ContentBlock => ({ type: 'data', source: { type: 'url', url } });
  const messages = [
    new Msg({ content: 'hi' }),
    new Msg({ content: [data(`${server.baseUrl}/a`), data('data:image/png;base64,AAAA'), data('https://example.com/stays.mp4')] as never }),
    Msg.from({ id: 'm', role: 'ASSISTANT', name: null, metadata: {}, timestamp: null, usage: null, content: [{ type: 'tool_result', id: 'a', name: 'f', state: 'success', metadata: {}, output: [data(`${server.baseUrl}/b.wav`)] }] }),
  ];
  const before = JSON.stringify(messages);
  const inline = createMediaInliner({ needsBytes: ({ source }) => source.type === 'url' && !source.url.endsWith('.mp4'), policy: { allowPrivate: true } });
  const first = await inline(messages, undefined);
  const again = await inline(messages, undefined);
  expect(server.requests).toHaveLength(2);
  expect(again.map((message, at) => message === first[at])).toEqual([true, true, true]);
  expect(first[0]).toBe(messages[0]);
  expect(first[1]?.content).toEqual([{ type: 'data', source: { type: 'base64', data: 'AQIDBA==', mediaType: 'image/png' } }, messages[1]?.content[1], messages[1]?.content[2]]);
  expect(first[2]?.content).toMatchObject([{ id: 'a', output: [{ source: { type: 'base64', mediaType: 'audio/wav' } }] }]);
  expect(JSON.stringify(messages)).toBe(before);
  expect(await inline([messages[0] as Msg], undefined)).toEqual([messages[0]]);
});

test('what cannot be had fails the call, or is a note where the policy says so', async () => {
  const message = new Msg({ content: [{ type: 'data', source: { type: 'url', url: 'http://127.0.0.1:1/x.png' } }] });
  const inline = (policy: MediaPolicy): Promise<readonly Msg[]> => createMediaInliner({ needsBytes: () => true, policy })([message], undefined);
  await expect(inline({})).rejects.toMatchObject({ code: 'media/blocked', details: { host: '127.0.0.1:1' } });
  expect((await inline({ onFailure: 'note' }))[0]?.content).toEqual([{ type: 'text', text: '[image/png at http://127.0.0.1:1/x.png, not shown]' }]);
});
