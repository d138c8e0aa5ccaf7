const LONGEST = 1_000;

/**
 * The value of an arithmetic expression; the parser is loaded at the first one.
 *
 * @throws Error in words for a model: what cannot be read, or has no finite number as its value
 */
export async function calculate(expression: string): Promise<number> {
  if (expression.length > LONGEST) throw new Error(`The expression is longer than ${LONGEST} characters.`);
  const { Parser } = await import('expr-eval-fork');
  const parser = new Parser({ allowMemberAccess: false, operators: { assignment: false, fndef: false, in: false, random: false } });
  const value: unknown = parser.evaluate(inAscii(expression));
  if (typeof value !== 'number') throw new Error(`"${expression}" is not a number.`);
  if (!Number.isFinite(value)) throw new Error(`"${expression}" has no finite value.`);
  // 15 digits are what a double holds: 0.1 + 0.2 is 0.3.
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(15));
}

/** Signs as people and models type them. */
function inAscii(expression: string): string {
  return expression.replace(/[×·]/g, '*').replace(/÷/g, '/').replace(/[−–]/g, '-').replaceAll('**', '^');
}
