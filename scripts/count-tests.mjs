// Prints `<passed> <failed>` from vitest's JSON report. A file that could not be loaded, or a run that failed without a failed test
// (or without a report), counts as one failed.
//
//   node scripts/count-tests.mjs <report> <exit code of the run>
import { existsSync, readFileSync } from 'node:fs';

const [file, exitCode] = process.argv.slice(2);
const { passed, failed } = count(readReport());
console.log(passed, failed === 0 && exitCode !== '0' ? 1 : failed);

function readReport() {
  try {
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
  } catch {
    return { testResults: [] };
  }
}

function count({ testResults }) {
  const states = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const unloaded = testResults.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some((each) => each.status === 'failed'));
  return { passed: states.filter((status) => status === 'passed').length, failed: states.filter((status) => status === 'failed').length + unloaded.length };
}
