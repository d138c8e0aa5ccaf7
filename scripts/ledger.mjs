// What the mission still owes: every row of LEDGER.md without a passing test whose name starts with its id, by the issue that owns it.
// Reads `../shared` (or AGENTSCOPE_SHARED) and the report of the last `npm test`. Prints; fails only with --strict.
//
//   npm run ledger [-- --issue line] [-- --cases C001,C003] [-- --report <file>] [-- --strict]
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ID = /^(?:S\d+-\d+|C\d+)$/;
const { values: options } = parseArgs({
  options: { issue: { type: 'string' }, cases: { type: 'string' }, report: { type: 'string' }, strict: { type: 'boolean', default: false } },
});
const fromRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const shared = process.env.AGENTSCOPE_SHARED ?? fromRoot('../shared');

process.exitCode = main();

function main() {
  if (!existsSync(`${shared}/LEDGER.md`)) {
    console.log('ledger: no LEDGER.md in ../shared (or AGENTSCOPE_SHARED); nothing to compare with.');
    return 0;
  }
  const done = passedIds(options.report ?? fromRoot('.test-report.json'));
  const rows = options.cases === undefined ? ledgerRows() : caseRows(options.cases.split(',').filter(Boolean));
  const open = rows.filter(({ id }) => !done.has(id));
  console.log(report(rows, open));
  return options.strict && open.length > 0 ? 1 : 0;
}

/** Ids at the start of the names of passing tests; a name, or a `describe` around it, may start with several. */
function passedIds(file) {
  if (!existsSync(file)) {
    console.log('ledger: no report of a test run; run `npm test` first. All rows count as open.');
    return new Set();
  }
  console.log(`ledger: report of ${statSync(file).mtime.toISOString()}`);
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const passed = testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'passed');
  return new Set(passed.flatMap(({ title, ancestorTitles }) => [...ancestorTitles, title].flatMap(leadingIds)));
}

function leadingIds(name) {
  const words = name.split(/[\s,:]+/);
  const end = words.findIndex((word) => !ID.test(word));
  return words.slice(0, end < 0 ? words.length : end);
}

function ledgerRows() {
  const rows = readFileSync(`${shared}/LEDGER.md`, 'utf8').split('\n').flatMap(ledgerRow);
  return options.issue === undefined ? rows : rows.filter(({ issue }) => issue === options.issue);
}

function ledgerRow(line) {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
  if (!/^S\d+-\d+$/.test(cells[0] ?? '')) return [];
  return [{ id: cells[0], text: cells[1], issue: cells.at(-1) }];
}

/** The cases asked for, with their headings in CASES.md. */
function caseRows(ids) {
  const headings = new Map(readFileSync(`${shared}/CASES.md`, 'utf8').split('\n').flatMap((line) => {
    const [, id, text] = /^### (C\d+) (.*)$/.exec(line) ?? [];
    return id === undefined ? [] : [[id, text]];
  }));
  const wanted = ids.length === 0 || ids.includes('all') ? [...headings.keys()] : ids;
  return wanted.map((id) => ({ id, text: headings.get(id) ?? 'no such case', issue: 'cases' }));
}

function report(rows, open) {
  const issues = [...new Set(rows.map(({ issue }) => issue))];
  const groups = issues.map((issue) => {
    const mine = open.filter((row) => row.issue === issue);
    const total = rows.filter((row) => row.issue === issue).length;
    const lines = mine.map(({ id, text }) => `  ${id}  ${text.length > 110 ? `${text.slice(0, 109)}…` : text}`);
    return [`${issue}: ${total - mine.length} of ${total} done`, ...lines].join('\n');
  });
  return [...groups, `ledger: ${rows.length - open.length} of ${rows.length} rows have a passing test, ${open.length} have none.`].join('\n');
}
