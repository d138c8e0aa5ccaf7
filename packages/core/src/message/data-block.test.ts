import { expect, test } from 'vitest';
import { fromBase64, Msg, toBase64, toDataBlock, UserMessage } from './index.ts';

const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i & 255);

test('S0-017 bytes, URLs and blobs become data blocks and round-trip exactly', async () => {
  const png = toDataBlock(bytes, { mediaType: 'image/png', name: 'a.png' });
  const mp3 = toDataBlock('https://x.example/a.mp3', { mediaType: 'audio/mpeg' });
  const film = await toDataBlock(new File([bytes], 'a.mp4', { type: 'video/mp4' }));
  expect([png.name, mp3.source, film.name, film.source.mediaType]).toEqual(['a.png', { type: 'url', url: 'https://x.example/a.mp3', mediaType: 'audio/mpeg' }, 'a.mp4', 'video/mp4']);
  expect(fromBase64(png.source.type === 'base64' ? png.source.data : '')).toEqual(bytes);
  const msg = new UserMessage([png, mp3, film]);
  expect(new Msg(JSON.parse(JSON.stringify(msg))).content).toEqual([png, mp3, film]);
});

test('an ArrayBuffer, a URL object and a data: URL are taken as well', () => {
  expect(toDataBlock(bytes.buffer, { mediaType: 'a/b' }).source).toEqual({ type: 'base64', data: toBase64(bytes), mediaType: 'a/b' });
  expect(toDataBlock(new URL('https://x.example/a')).source).toEqual({ type: 'url', url: 'https://x.example/a' });
  expect(toDataBlock('data:image/png;base64,AAAA').source).toEqual({ type: 'base64', data: 'AAAA', mediaType: 'image/png' });
});

test('C130 the URL-safe alphabet is read, and what is no base64 is told', () => {
  expect(fromBase64('-_-_')).toEqual(fromBase64('+/+/'));
  expect(fromBase64('!')).toBeUndefined();
});
