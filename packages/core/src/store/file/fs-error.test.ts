import { expect, test } from 'vitest';
import { conflict } from '../../session/index.ts';
import { onDisk } from './fs-error.ts';

test('a full disk is session/unavailable, naming the code of the system and keeping its error as cause', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  await expect(onDisk(() => Promise.reject(full))).rejects.toMatchObject({ code: 'session/unavailable', details: { store: 'file' }, cause: full, message: expect.stringContaining('(ENOSPC)') as string });
});

test('an error of ours passes as it is', async () => {
  const ours = conflict(1, 2);
  await expect(onDisk(() => Promise.reject(ours))).rejects.toBe(ours);
});

test('what is no error of the system passes as it is: it is a bug, and the disk is fine', async () => {
  const bugs = [new TypeError('Do not know how to serialize a BigInt'), Object.assign(new TypeError('The "path" argument'), { code: 'ERR_INVALID_ARG_TYPE' }), 'text', undefined];
  for (const bug of bugs) expect(await onDisk(() => Promise.reject(bug)).catch((error: unknown) => error)).toBe(bug);
});
