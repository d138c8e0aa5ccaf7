/** An arithmetic expression found in a text, written the way programs write it. */
export interface FoundExpression {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** All expressions of a text with at least one operator or function, from left to right: `17 times 23` is `17 * 23`. */
export function findExpressions(text: string): readonly FoundExpression[] {
  const found: FoundExpression[] = [];
  const starts = /(?<![\w.])(?:\d|\.\d|\(|[-−](?=[\d(])|(?:the )?square root of |(?:sqrt|cbrt|abs|sin|cos|tan|log|ln|exp|round|floor|ceil)(?=\())/gi;
  for (let match = starts.exec(text); match; match = starts.exec(text)) {
    const parsed = new Parser(text, match.index).parse();
    if (parsed === undefined) continue;
    found.push(parsed);
    starts.lastIndex = parsed.end;
  }
  return found;
}

const DEEPEST = 40;
const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/\s*(?:\*\*|\^|to the power of\b)\s*/iy, '^'],
  [/\s*(?:[*×·]|times\b|multiplied by\b|x(?=\s*\d))\s*/iy, '*'],
  [/\s*(?:[/÷]|divided by\b)\s*/iy, '/'],
  [/\s*(?:\+|plus\b)\s*/iy, '+'],
  [/\s*(?:[-−]|minus\b)\s*/iy, '-'],
  [/\s*(?:modulo|mod)\b\s*/iy, '%'],
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
    const name = this.#take(/(?:sqrt|cbrt|abs|sin|cos|tan|log|ln|exp|round|floor|ceil)(?=\()/iy)?.toLowerCase() ?? '';
    if (name !== '') this.#steps++;
    if (this.#take(/\(\s*/y) === undefined || depth > DEEPEST) return undefined;
    const inner = this.#sum(depth + 1);
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
