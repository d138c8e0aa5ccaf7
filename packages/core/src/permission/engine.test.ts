import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dangerousPath } from './dangerous-path.ts';
import { PermissionEngine, PERMISSION_MODES, readPermission, toRule, withMode, withoutRule, withRule } from './index.ts';
import type { PermissionDecision, PermissionFacts, PermissionMode, PermissionOptions } from './index.ts';
import { escapeWildcard, matchesWildcard } from './wildcard.ts';

const call = (tool: string, input: PermissionFacts['input'] = {}, more: Partial<PermissionFacts> = {}): PermissionFacts => ({ tool, input, readOnly: false, ...more });
const judge = (options: PermissionOptions, facts: PermissionFacts) => {
  const { behavior, by } = new PermissionEngine(options).checkPermission(facts);
  return `${behavior} ${by}`;
};

test.for<[PermissionMode, string, string, string]>([
  ['default', 'allow read-only', 'ask mode default', 'ask mode default'],
  ['accept_edits', 'allow read-only', 'allow mode accept_edits', 'ask mode accept_edits'],
  ['explore', 'allow read-only', 'deny mode explore', 'deny mode explore'],
  ['bypass', 'allow read-only', 'allow mode bypass', 'allow mode bypass'],
  ['dont_ask', 'allow read-only', 'deny mode dont_ask', 'deny mode dont_ask'],
])('mode %s: reading, an edit, anything else', ([mode, reads, edits, runs]) => {
  expect(judge({ mode }, call('look', {}, { readOnly: true }))).toBe(reads);
  expect(judge({ mode }, call('write_file', { path: 'src/a.ts' }))).toBe(edits);
  expect(judge({ mode }, call('send_mail', { to: 'a@b.example' }))).toBe(runs);
});

test('the order: each step has the word over all behind it', () => {
  const asks: PermissionDecision = { behavior: 'ask', message: 'Sure?' };
  const rule = { deny: ['pay'], ask: ['pay'], allow: ['pay'] };
  expect(judge(rule, call('pay', {}, { approved: true }))).toBe('deny rule deny pay');
  expect(judge({ ...rule, deny: [] }, call('pay', {}, { own: { behavior: 'deny' }, approved: true }))).toBe('deny tool');
  expect(judge({ ...rule, deny: [] }, call('pay', {}, { own: { behavior: 'allow' } }))).toBe('ask rule ask pay');
  expect(judge({ mode: 'bypass', allow: ['pay'] }, call('pay', { file: '.git/config' }, { own: { behavior: 'allow' } }))).toBe('ask dangerous path');
  for (const mode of ['default', 'accept_edits', 'bypass'] as const) expect(judge({ mode }, call('pay', {}, { own: asks }))).toBe('ask tool');
  expect(judge({ mode: 'explore' }, call('pay', {}, { own: asks, readOnly: true }))).toBe('ask tool');
  expect(judge({ allow: ['pay'] }, call('pay', {}, { own: asks }))).toBe('allow rule allow pay');
  expect(judge({}, call('pay', {}, { own: { behavior: 'allow' } }))).toBe('allow tool');
  expect(judge({}, call('pay', {}, { approved: true }))).toBe('allow user');
  expect(judge({ mode: 'explore', allow: ['pay'] }, call('pay', {}, { approved: true }))).toBe('deny mode explore');
});

const behaviors = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);
const contents = fc.constantFrom(undefined, '*', 'a*', 'a', '*b', 'ab', 'b');

test('I9 deny beats ask beats allow, whatever the order of the rules, in every mode', () => {
  const rules = fc.array(fc.record({ toolName: fc.constantFrom('pay', 'p*', '*', 'other'), behavior: behaviors, ruleContent: contents }), { maxLength: 6 });
  const facts = fc.record({ text: fc.constantFrom('a', 'ab', 'b', ''), readOnly: fc.boolean(), mode: fc.constantFrom(...PERMISSION_MODES), own: fc.constantFrom('allow', 'ask', 'passthrough', 'deny'), approved: fc.boolean() });
  const seen = { allow: 0, ask: 0, deny: 0 };
  fc.assert(
    fc.property(rules, facts, fc.nat(), (given, { text, readOnly, mode, own, approved }, turn) => {
      const asked: PermissionFacts = { tool: 'pay', input: { text }, readOnly, own: { behavior: own as 'ask' }, approved };
      const withRules = (list: typeof given) => {
        const engine = new PermissionEngine({ mode });
        for (const { ruleContent, ...rule } of list) engine.addRule({ ...rule, ...(ruleContent === undefined ? {} : { ruleContent }) });
        return engine.checkPermission(asked);
      };
      const at = given.length === 0 ? 0 : turn % given.length;
      const { behavior } = withRules(given);
      seen[behavior]++;
      expect(withRules([...given.slice(at), ...given.slice(0, at)].toReversed()).behavior).toBe(behavior);
      const matching = given.filter(({ toolName, ruleContent }) => toolName !== 'other' && (ruleContent === undefined || matchesWildcard(ruleContent, text)));
      if (matching.some((rule) => rule.behavior === 'deny') || own === 'deny') expect(behavior).toBe('deny');
      else if (matching.some((rule) => rule.behavior === 'ask') && !approved) expect(behavior).not.toBe('allow');
    }),
    { numRuns: 1000 },
  );
  for (const [behavior, times] of Object.entries(seen)) expect([behavior, times > 30]).toEqual([behavior, true]);
});

test('the content of a rule: commands, paths, the one argument, the whole input', () => {
  const allows = (rule: string, input: PermissionFacts['input']) => judge({ allow: [rule] }, call('t', input)).startsWith('allow');
  expect(allows('t(git *)', { command: 'git status' })).toBe(true);
  expect(allows('t(git:*)', { command: 'git' })).toBe(true);
  expect(allows('t(git:*)', { command: 'gitk' })).toBe(false);
  for (const command of ['git status; rm -rf x', 'git status && rm x', 'git $(rm x)', 'git `rm x`', 'git log > x', 'git log\nrm x', 'rm x | git x']) expect([command, allows('t(git *)', { command })]).toEqual([command, false]);
  expect(allows('t(git status && git log)', { command: 'git status && git log' })).toBe(true);
  expect(allows('t(git *)', { command: 'git status && git log' })).toBe(true);
  expect(allows('t(src/*)', { path: './src/a.ts' })).toBe(true);
  expect(allows('t(src/*)', { path: 'src/../x' })).toBe(false);
  expect(allows('t(src/*)', { source_path: 'src/a', target_path: 'lib/b' })).toBe(false);
  expect(allows('t(10)', { amount: 10 })).toBe(true);
  expect(allows('t(https://a.example/*)', { url: 'https://a.example/x', body: 'y' })).toBe(true);
  expect(allows('t({"a":1,"b":2})', { b: 2, a: 1 })).toBe(true);
  expect(allows('t(*"a"*)', { b: 2, a: 1 })).toBe(false);
  expect(judge({ mode: 'bypass', deny: ['t(rm *)'] }, call('t', { command: 'cd x && rm -rf y' }))).toBe('deny rule deny t(rm *)');
  expect(judge({ mode: 'bypass', deny: ['t(secret*)'] }, call('t', { from: 'x', list: ['secrets.txt'] }))).toBe('deny rule deny t(secret*)');
  expect(judge({ mode: 'bypass', deny: ['t(lib/*)'] }, call('t', { path: 'src/../lib/x' }))).toBe('deny rule deny t(lib/*)');
});

test('a matcher of the tool decides what a content is about; one that fails opens nothing', () => {
  const matches = (content: string) => content === 'small';
  expect(judge({ allow: ['pay(small)'] }, call('pay', { amount: 1 }, { matches }))).toBe('allow rule allow pay(small)');
  const fails = () => { throw new Error('no'); };
  expect(judge({ allow: ['pay(small)'] }, call('pay', {}, { matches: fails }))).toBe('ask mode default');
  expect(judge({ deny: ['pay(small)'] }, call('pay', {}, { matches: fails }))).toBe('deny rule deny pay(small)');
});

test('what a question suggests is about exactly this call', () => {
  const suggested = (input: PermissionFacts['input']) => new PermissionEngine().checkPermission(call('t', input)).suggestedRules;
  expect(suggested({ command: 'rm *' })).toEqual([{ toolName: 't', ruleContent: 'rm \\*', behavior: 'allow' }]);
  expect(suggested({})).toEqual([{ toolName: 't', behavior: 'allow' }]);
  expect(suggested({ name: 'bob', amount: 5 })).toMatchObject([{ ruleContent: '{"amount":5,"name":"bob"}' }]);
  expect([suggested({ path: '.' }), suggested({ a: '' })]).toMatchObject([[{ ruleContent: '{"path":"."}' }], [{ ruleContent: '{"a":""}' }]]); // nothing to compare is not everything
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.string())), { maxKeys: 3 }), fc.string(), (input, other) => {
      const engine = new PermissionEngine();
      for (const rule of engine.checkPermission(call('t', input)).suggestedRules ?? []) engine.addRule(rule);
      const danger = dangerousPath(input) !== undefined;
      expect(engine.checkPermission(call('t', input)).behavior).toBe(danger ? 'ask' : 'allow');
      if (Object.keys(input).length > 0) expect(engine.checkPermission(call('t', { ...input, [`${other}path`]: 'elsewhere/else', command: 'do it' })).behavior).toBe('ask');
    }),
    { numRuns: 1000 },
  );
});

test('a wildcard fits what the pattern says, and takes no time on hard ones', () => {
  fc.assert(fc.property(fc.string(), (text) => matchesWildcard(escapeWildcard(text), text)));
  fc.assert(fc.property(fc.string(), fc.string(), fc.string(), (a, b, c) => matchesWildcard(`${escapeWildcard(a)}*${escapeWildcard(c)}`, a + b + c)));
  expect(matchesWildcard('*a'.repeat(200), 'a'.repeat(3000) + 'b')).toBe(false);
  expect([matchesWildcard('a*', 'b'), matchesWildcard('', ''), matchesWildcard('', 'x'), matchesWildcard('C:\\x', 'C:\\x')]).toEqual([false, true, false, true]);
});

test.for([
  ['path', '.git/config', true], ['path', 'a/../.git/x', true], ['path', 'src/.GIT/x', true], ['path', '.env.local', true], ['path', '/etc/passwd', true], ['path', 'C:\\Windows\\x', true],
  ['path', '/', true], ['path', '~/.ssh/id_rsa', true], ['path', 'src/git/x', false], ['path', '.github/x', false], ['path', '/home/me/etc/x', false], ['path', '.', false],
  ['command', 'cat ~/.ssh/id_rsa', true], ['command', 'echo x > /etc/hosts', true], ['command', '/usr/bin/env node x > /dev/null', false], ['command', 'npm test', false], ['text', '/etc/passwd', false],
] as const)('dangerous: %s %s → %s', ([name, value, expected]) => {
  expect(dangerousPath({ [name]: value }) !== undefined).toBe(expected);
});

test('dangerous paths: reading is free, the list may be another one or none', () => {
  expect(judge({}, call('read_file', { path: '.git/config' }, { readOnly: true }))).toBe('allow read-only');
  expect(judge({ mode: 'bypass', dangerousPaths: [] }, call('w', { path: '.git/config' }))).toBe('allow mode bypass');
  expect(judge({ mode: 'bypass', dangerousPaths: ['/srv'] }, call('w', { path: '/srv/x' }))).toBe('ask dangerous path');
});

test('accept_edits edits below the working directories only', () => {
  const edit = (path: string) => judge({ mode: 'accept_edits', workingDirectories: ['/srv/app/'] }, call('edit_file', { path }));
  expect([edit('a.ts'), edit('/srv/app/a.ts'), edit('/srv/other/a.ts'), edit('../a.ts'), edit('/srv/app/../x')].map((text) => text.split(' ')[0])).toEqual(['allow', 'allow', 'ask', 'ask', 'ask']);
});

test('rules run out; a time nobody can read widens nothing', () => {
  let now = 0;
  const engine = new PermissionEngine({ allow: [{ toolName: 'a', behavior: 'allow', expiresAt: new Date(1000).toISOString() }, { toolName: 'b', behavior: 'allow', expiresAt: 'soon' }], deny: [{ toolName: 'c', behavior: 'deny', expiresAt: 'soon' }] }, { clock: () => now });
  const all = () => ['a', 'b', 'c'].map((tool) => engine.checkPermission(call(tool)).behavior);
  expect(all()).toEqual(['allow', 'ask', 'deny']);
  now = 1000;
  expect(all()).toEqual(['ask', 'ask', 'deny']);
  expect(engine.list().map(({ id }) => id)).toEqual(['deny c']);
});

test('rules have ids; the same rule twice is one, and a revoked one is gone', () => {
  const engine = new PermissionEngine({ allow: ['a', 'a', 'b(x)'] });
  expect(engine.list().map(({ id }) => id)).toEqual(['allow a', 'allow b(x)']);
  expect([engine.revoke('allow a'), engine.revoke('allow a'), engine.checkPermission(call('a')).behavior]).toEqual([true, false, 'ask']);
});

test('without a policy only tools, rules and strict modes speak', () => {
  const none = (options: PermissionOptions, facts: PermissionFacts) => new PermissionEngine(options, { otherwise: 'allow' }).checkPermission(facts);
  expect(none({}, call('w', { path: '.git/x' }))).toEqual({ behavior: 'allow', by: 'no policy' });
  expect(none({}, call('w', {}, { own: { behavior: 'ask' } })).by).toBe('tool');
  expect(none({ deny: ['w'] }, call('w')).by).toBe('rule deny w');
  expect(none({ mode: 'explore' }, call('w')).by).toBe('mode explore');
});

test.for<[unknown, string]>([
  [{ mode: 'yolo' }, 'permission.mode'], [{ allow: ['('] }, 'permission.allow'], [{ deny: [''] }, 'permission.deny'], [{ ask: 'pay' }, 'permission.ask'],
  [{ allow: [{ toolName: 'a', behavior: 'deny' }] }, 'permission.allow'], [{ allow: [{ behavior: 'allow' }] }, 'permission.allow'], [{ allow: [null] }, 'permission.allow'],
])('%o is config/invalid', ([options, option]) => {
  expect(() => new PermissionEngine(options as PermissionOptions)).toThrow(expect.objectContaining({ code: 'config/invalid', details: { option } }));
});

test('a session keeps rules and mode as AgentScope writes them; what else stands there stays', () => {
  const java = { mode: 'default', working_directories: { '/srv': { path: '/srv', source: 'session' } }, allow_rules: { shell: [{ tool_name: 'shell', rule_content: 'ls*', behavior: 'allow', source: 'userSettings' }] }, deny_rules: {}, ask_rules: {}, more: 1 };
  expect(readPermission(java)).toEqual({ mode: 'default', workingDirectories: ['/srv'], rules: [{ toolName: 'shell', ruleContent: 'ls*', behavior: 'allow', source: 'userSettings', id: 'allow shell(ls*)' }] });
  const rule = toRule({ toolName: '__proto__', behavior: 'deny', expiresAt: '2030-01-01T00:00:00Z' }, { option: 'rule' });
  const changed = withRule(withMode(java, 'bypass'), rule);
  expect(changed).toMatchObject({ mode: 'bypass', more: 1 });
  expect(readPermission(JSON.parse(JSON.stringify(withRule(changed, rule)))).rules).toEqual([rule, readPermission(java).rules[0]]);
  expect(withoutRule(withoutRule(changed, rule.id), 'allow shell(ls*)')).toEqual({ ...java, mode: 'bypass', allow_rules: {} });
  expect([withoutRule(java, 'x'), readPermission(undefined)]).toEqual([undefined, { mode: undefined, rules: [], workingDirectories: [] }]);
  expect(() => readPermission({ deny_rules: { a: [7] } })).toThrow(expect.objectContaining({ code: 'message/invalid' }));
});
