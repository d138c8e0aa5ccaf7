import fc from 'fast-check';
import { expect, test } from 'vitest';
import { REDACTED, redactText, redactValue } from './redact.ts';

const SECRETS: Readonly<Record<string, string>> = {
  'an OpenAI key': 'sk-proj-abcDEF1234567890abcDEF',
  'an Anthropic key': 'sk-ant-api03-abcDEF1234567890abcDEF',
  'a Google key': 'AIzaSyA1234567890abcdefghijklmnopqrstuv',
  'a GitHub token': 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'a Slack token': 'xoxb-123456789012-abcdefghij',
  'an AWS key id': 'AKIAIOSFODNN7EXAMPLE',
  'a JWT': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLWhlcmU',
  'a private key': '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----',
};

test.for(Object.entries(SECRETS))('%s is masked wherever it stands, and what is around it stays', ([, secret]) => {
  fc.assert(
    fc.property(fc.constantFrom('', 'use ', 'key: ', '("', '\n'), fc.constantFrom('', '.', ' now', '")', '\n'), (before, after) => {
      expect(redactText(`say ${before}${secret}${after} end`)).toBe(`say ${before}${REDACTED}${after} end`);
    }),
  );
});

test('passwords in addresses, headers and assignments are masked, and their names stay', () => {
  expect(redactText('postgres://bob:hunter2@db:5432/x')).toBe(`postgres://${REDACTED}@db:5432/x`);
  expect(redactText('Authorization: Bearer abc.def-ghi123')).toBe(`Authorization: Bearer ${REDACTED}`);
  expect(redactText('password=hunter2; api_key: "abc def", clientSecret=\'x\'')).toBe(`password=${REDACTED}; api_key: ${REDACTED}, clientSecret=${REDACTED}`);
  expect(redactText('{"access_token":"abc","n":1}')).toBe(`{"access_token":${REDACTED},"n":1}`);
});

test('a value is masked by the names of its members too, at any depth; numbers of tokens stay', () => {
  const value = { headers: { Authorization: 'x', 'x-api-key': 'y' }, list: [{ password: 'p', refreshToken: 'r' }], maxTokens: 5, inputTokens: 3, token: 't', tokens: ['a'], note: null };
  expect(redactValue(value)).toEqual({ headers: { Authorization: REDACTED, 'x-api-key': REDACTED }, list: [{ password: REDACTED, refreshToken: REDACTED }], maxTokens: 5, inputTokens: 3, token: REDACTED, tokens: ['a'], note: null });
  expect(redactValue({ password: 'p' }, (text) => text, false)).toEqual({ password: 'p' });
});

test('what is no secret stays as it is, and masking twice is masking once', () => {
  const plain = 'The task is to ask Kim: what token limit has the desk-lamp-model? 12:30 basic needs, see http://example.com/a:b and sk-8 too.';
  expect(redactText(plain)).toBe(plain);
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...Object.values(SECRETS), ' ', '=', '"', 'password')), { maxLength: 8 }), (parts) => {
      const once = redactText(parts.join(''));
      expect(redactText(once)).toBe(once);
    }),
  );
});

test('no text makes it slow: what nearly matches, many times over', () => {
  for (const part of ['eyJ-', 'sk-a-', 'a.', '-----BEGIN PRIVATE KEY-----', 'password', 'Bearer ', 'x://', 'A', '"password": "']) expect(redactText(part.repeat(20_000)).length).toBeGreaterThan(0); // ends within the time of a test
});
