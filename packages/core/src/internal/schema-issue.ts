/** One thing that is wrong with a value. `path` reads like code (`opts.depth`, `legs[0].flight`); `''` is the value itself. */
export interface SchemaIssue {
  readonly path: string;
  readonly message: string;
}

/** All issues in one line: `opts.depth: is required; list[1]: must be a number`. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, 8).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length - shown.length;
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** `['legs', 0, 'flight']` → `legs[0].flight`. */
export function pathText(path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string {
  let text = '';
  for (const step of path) {
    const key = typeof step === 'object' ? step.key : step;
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}
