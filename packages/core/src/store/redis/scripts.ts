/**
 * What runs inside the server, all or nothing. KEYS are those of one session in a fixed order: `m` a hash of facts, `j` the journal (a
 * stream whose ids are `<last number>-0`), `v` named values, `s` the snapshot, `i` the inbox, `p` the ids posted, by order.
 *
 * `m` holds: `key` (whose session), `last`, `at`, `unfinished`, `fence` (newest written under), `lf lo le` (lease: fence, owner, end in
 * milliseconds by the server's clock), `posts`.
 */
export interface Script {
  readonly text: string;
  /** Which of the session's keys it gets. */
  readonly keys: readonly KeyName[];
}
export type KeyName = 'm' | 'j' | 'v' | 's' | 'i' | 'p';

const HEAD = `
local m = KEYS[1]
local function num(field) return tonumber(redis.call('HGET', m, field) or '0') end
local function newest() return math.max(num('fence'), num('lf')) end
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function text(n) return string.format('%.0f', n) end
`;

/**
 * ARGV: expected number, fence or '', unfinished '1' '0' or '', time, key, then number and text of each entry. Answers `{ 'ok', isNew }`
 * or `{ 'conflict', last }`.
 */
export const APPEND: Script = {
  keys: ['m', 'j'],
  text: `${HEAD}
local j, expected, fence = KEYS[2], tonumber(ARGV[1]), ARGV[2]
local last = num('last')
if fence ~= '' and tonumber(fence) < newest() then return { 'conflict', text(last) } end
local count = #ARGV
if last ~= expected then
  if count < 7 then return { 'conflict', text(last) } end
  local there = redis.call('XRANGE', j, ARGV[6] .. '-0', ARGV[count - 1] .. '-0')
  if #there ~= (count - 5) / 2 then return { 'conflict', text(last) } end
  for i, found in ipairs(there) do
    if found[1] ~= ARGV[4 + 2 * i] .. '-0' or found[2][2] ~= ARGV[5 + 2 * i] or found[2][4] ~= fence then return { 'conflict', text(last) } end
  end
  return { 'ok', '0' }
end
if count < 7 then return { 'ok', '0' } end
for i = 6, count, 2 do redis.call('XADD', j, ARGV[i] .. '-0', 'e', ARGV[i + 1], 'f', fence) end
redis.call('HSET', m, 'key', ARGV[5], 'last', ARGV[count - 1], 'at', ARGV[4])
if ARGV[3] ~= '' then redis.call('HSET', m, 'unfinished', ARGV[3]) end
if fence ~= '' and tonumber(fence) > num('fence') then redis.call('HSET', m, 'fence', fence) end
return { 'ok', last == 0 and '1' or '0' }`,
};

/** ARGV: owner, milliseconds. Answers the fence, or '' while somebody else has it. */
export const TAKE_LEASE: Script = {
  keys: ['m'],
  text: `${HEAD}
local at, owner, top = now(), redis.call('HGET', m, 'lo'), newest()
if owner and owner ~= ARGV[1] and num('le') > at then return '' end
local fence = num('lf')
if owner ~= ARGV[1] or fence < top then fence = top + 1 end
redis.call('HSET', m, 'lf', text(fence), 'lo', ARGV[1], 'le', text(at + tonumber(ARGV[2])))
return text(fence)`,
};

/** ARGV: owner, fence, milliseconds (0 gives it back). Answers 1, or 0 when somebody else has it. */
export const SET_LEASE_END: Script = {
  keys: ['m'],
  text: `${HEAD}
if redis.call('HGET', m, 'lo') ~= ARGV[1] or newest() ~= tonumber(ARGV[2]) then return 0 end
local ttl = tonumber(ARGV[3])
redis.call('HSET', m, 'le', ttl == 0 and '0' or text(now() + ttl))
return 1`,
};

/** ARGV: name, value, key. Answers 1 when the session had no named value before. */
export const SAVE_VALUE: Script = {
  keys: ['m', 'v'],
  text: `
local isNew = redis.call('EXISTS', KEYS[2]) == 0 and 1 or 0
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[1], 'key', ARGV[3])
return isNew`,
};

/** Answers 1 if there was an entry or a named value. */
export const REMOVE: Script = {
  keys: ['m', 'j', 'v', 's', 'i', 'p'],
  text: `${HEAD}
local existed = (num('last') > 0 or redis.call('EXISTS', KEYS[3]) == 1) and 1 or 0
redis.call('DEL', unpack(KEYS))
return existed`,
};

/** ARGV: id, item, how many ids to remember. Answers 1, or 0 for an id that was posted before. */
export const POST: Script = {
  keys: ['m', 'i', 'p'],
  text: `
local id = ARGV[1]
if redis.call('ZSCORE', KEYS[3], id) or redis.call('HEXISTS', KEYS[2], id) == 1 then return 0 end
local n = redis.call('HINCRBY', KEYS[1], 'posts', 1)
redis.call('ZADD', KEYS[3], n, id)
redis.call('HSET', KEYS[2], id, n .. ' ' .. ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1 - tonumber(ARGV[3]))
return 1`,
};
