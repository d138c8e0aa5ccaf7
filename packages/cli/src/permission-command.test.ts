import { ReActAgent } from '@agentscope/core';
import { scriptedModel } from '@agentscope/core/testing';
import { expect, test } from 'vitest';
import { readArgs } from './args.ts';
import { permissionCommand } from './permission-command.ts';

test('/mode shows and changes the mode, /rules lists and drops', async () => {
  const session = new ReActAgent({ name: 'Friday', model: scriptedModel(), permission: { allow: ['x'] }, onWarning: () => undefined }).session();
  const say = (line: string) => permissionCommand(session, line);
  expect(await say('/mode')).toContain('* default      reading runs');
  expect(await say('/mode explore')).toBe('The mode is explore.\n');
  expect(await say('/mode')).toContain('* explore ');
  expect(await say('/mode yolo')).toContain('There is no mode yolo.');
  await session.addPermissionRule({ toolName: 'launch', ruleContent: 'A b', behavior: 'allow', expiresAt: '2999-01-01T00:00:00Z' });
  expect(await say('/rules')).toBe('allow x (from --allow)\nsession allow launch(A b) (until 2999-01-01T00:00:00Z)\n');
  expect(await say('/rules drop session allow launch(A b)')).toBe('session allow launch(A b) is gone.\n');
  expect(await say('/rules drop allow x')).toContain('There is no rule allow x of this conversation.');
  expect(await say('/rules what')).toContain('/rules drop <id>');
});

test('--mode and --allow are read; a wrong mode names the right one', () => {
  expect(readArgs(['--mode', 'explore', '--allow', 'a', '--allow', 'b(c *)'])).toMatchObject({ mode: 'explore', allow: ['a', 'b(c *)'] });
  expect(readArgs([])).toMatchObject({ mode: undefined, allow: [] });
  expect(() => readArgs(['--mode', 'byPas'])).toThrow('Did you mean bypass?');
  expect(() => readArgs(['--allow', ' '])).toThrow('--allow is empty.');
});
