/** What text can look like; colours are the sixteen a terminal's own theme sets, so they can be read on light and on dark. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Look = keyof typeof CODES;
/** Gives text its looks, or leaves it as it is where there are none. */
export type Style = (text: string, ...looks: readonly Look[]) => string;

export const plainStyle: Style = (text) => text;

export const colorStyle: Style = (text, ...looks) => looks.reduce((styled, look) => paint(styled, CODES[look]), text);

export function styleFor({ color }: { readonly color: boolean }): Style {
  return color ? colorStyle : plainStyle;
}

/** A look inside that ends with the same code does not end this one. */
function paint(text: string, [on, off]: readonly [number, number]): string {
  if (text === '') return '';
  const end = `\u001b[${off}m`;
  return `\u001b[${on}m${text.replaceAll(end, `${end}\u001b[${on}m`)}${end}`;
}
