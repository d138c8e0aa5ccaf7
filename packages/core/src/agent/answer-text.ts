/**
 * What a text may hold as data, likeliest first: the whole of it, else each fenced block, the last one first. Prose around a block does
 * not matter; prose alone holds none.
 */
export function jsonIn(text: string): readonly unknown[] {
  const whole = parsed(text);
  if (whole !== undefined) return [whole.value];
  const blocks = [...text.matchAll(FENCE)].reverse().map(([, block = '']) => parsed(block));
  return blocks.flatMap((block) => (block === undefined ? [] : [block.value]));
}

const FENCE = /```[a-zA-Z0-9]*[^\S\n]*\n([\s\S]*?)```/g;

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
