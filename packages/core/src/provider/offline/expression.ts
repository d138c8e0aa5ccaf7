/** An arithmetic expression found in a text, written the way programs write it. */
export interface FoundExpression {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** All expressions of a text with at least one operator or function, from left to right: `17 times 23` is `17 * 23`. */
export function findExpressions(text: string): readonly FoundExpression[] {
  const found: FoundExpression[] = findSpoken(text);
  const spoken = found.length;
  const starts = /(?<![\w.])(?:\d|\.\d|\(|[-−](?=[\d(])|(?:the )?square root of |(?:sqrt|cbrt|abs|sin|cos|tan|log|ln|exp|round|floor|ceil|min|max|pow)(?=\()|(?:sqrt|cbrt|sin|cos|tan|ln)(?=\s+[\d.]))/gi;
  for (let match = starts.exec(text); match; match = starts.exec(text)) {
    const parsed = new Parser(text, match.index).parse();
    if (parsed === undefined || found.slice(0, spoken).some(({ start, end }) => parsed.start < end && start < parsed.end)) continue;
    found.push(parsed);
    starts.lastIndex = parsed.end;
  }
  return found.toSorted((a, b) => a.start - b.start);
}

/** "divide 10 by 4", "subtract 3 from 10": two numbers and a verb. */
function findSpoken(text: string): FoundExpression[] {
  return SPOKEN.flatMap(([pattern, write]) =>
    Array.from(text.matchAll(pattern), (match) => ({ value: write(match[1] ?? '', match[2] ?? ''), start: match.index, end: match.index + match[0].length })),
  );
}

const TAIL = '(-?\\d+(?:\\.\\d+)?)(?![\\d.,]*\\d|\\s*[-+*/^])';
const spoken = (verbs: string, joints: string): RegExp => new RegExp(`\\b(?:${verbs})\\s+(-?\\d+(?:\\.\\d+)?)\\s+(?:${joints})\\s+${TAIL}`, 'gi');
const SPOKEN: readonly (readonly [RegExp, (a: string, b: string) => string])[] = [
  [spoken('add|(?:the )?sum of', 'and|to'), (a, b) => `${a} + ${b}`],
  [spoken('multiply|(?:the )?product of', 'by|and|with'), (a, b) => `${a} * ${b}`],
  [spoken('divide', 'by'), (a, b) => `${a} / ${b}`],
  [spoken('subtract', 'from'), (a, b) => `${b} - ${a}`],
];

const DEEPEST = 40;
const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/\s*(?:\*\*|\^|to the power of\b)\s*/iy, '^'],
  [/\s*(?:[*×·]|times\b|multiplied by\b|x(?=\s*\d))\s*/iy, '*'],
  [/\s*(?:[/÷]|divided by\b)\s*/iy, '/'],
  [/\s*(?:\+|plus\b)\s*/iy, '+'],
  [/\s*(?:[-−]|minus\b)\s*/iy, '-'],
  [/\s*(?:%|(?:modulo|mod)\b)\s*/iy, '%'],
];

/** A small recursive-descent reader; it takes as much as makes sense and leaves the rest. */
class Parser {
  readonly #text: string;
  readonly #start: number;
  #at: number;
  #steps = 0;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
    this.#at = start;
  }

  parse(): FoundExpression | undefined {
    const value = this.#sum(0);
    return value === undefined || this.#steps === 0 ? undefined : { value, start: this.#start, end: this.#at };
  }

  #sum(depth: number): string | undefined {
    let left = this.#term(depth);
    while (left !== undefined) {
      const before = this.#at;
      const operator = OPERATORS.find(([pattern]) => this.#take(pattern) !== undefined)?.[1];
      const right = operator === undefined ? undefined : this.#term(depth);
      if (right === undefined) {
        this.#at = before;
        return left;
      }
      this.#steps++;
      left = `${left} ${operator} ${right}`;
    }
    return undefined;
  }

  #term(depth: number): string | undefined {
    if (depth > DEEPEST) return undefined;
    if (this.#take(/[-−]\s*/y) !== undefined) return prefixed('-', this.#term(depth + 1));
    const base = this.#primary(depth);
    if (base === undefined) return undefined;
    if (this.#take(/\s*(?:%|percent)\s+of\s+/iy) !== undefined) {
      this.#steps++;
      const whole = this.#term(depth + 1);
      return whole === undefined ? undefined : `${base} / 100 * ${whole}`;
    }
    const power = this.#take(/\s+(?:squared|cubed)\b/iy)?.trim().toLowerCase();
    if (power === undefined) return base;
    this.#steps++;
    return `${base} ^ ${power === 'squared' ? 2 : 3}`;
  }

  #primary(depth: number): string | undefined {
    const number = this.#take(/(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+/iy);
    if (number !== undefined) return number.replaceAll(',', '');
    if (this.#take(/(?:the )?square root of\s+/iy) !== undefined) {
      this.#steps++;
      const inner = this.#primary(depth + 1);
      return inner === undefined ? undefined : `sqrt(${inner})`;
    }
    const name = this.#take(/(?:sqrt|cbrt|abs|sin|cos|tan|log|ln|exp|round|floor|ceil|min|max|pow)(?=\()/iy)?.toLowerCase() ?? '';
    const bare = name === '' ? this.#take(/(?:sqrt|cbrt|sin|cos|tan|ln)\s+(?=[\d.])/iy)?.trim().toLowerCase() : undefined;
    if (bare !== undefined) {
      this.#steps++;
      return `${bare}(${this.#primary(depth + 1) ?? ''})`;
    }
    if (name !== '') this.#steps++;
    if (this.#take(/\(\s*/y) === undefined || depth > DEEPEST) return undefined;
    let inner = this.#sum(depth + 1);
    while (name !== '' && inner !== undefined && this.#take(/\s*,\s*/y) !== undefined) {
      const next = this.#sum(depth + 1);
      inner = next === undefined ? undefined : `${inner}, ${next}`;
    }
    return inner !== undefined && this.#take(/\s*\)/y) !== undefined ? `${name}(${inner})` : undefined;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match[0];
  }
}

function prefixed(sign: string, term: string | undefined): string | undefined {
  return term === undefined ? undefined : `${sign}${term}`;
}
