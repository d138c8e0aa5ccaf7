import { dirname, join } from 'node:path';
import { parseFileSync } from '@swc/core';

/** Every name a declaration file exports, types too, sorted; `type` in front of what exists for the compiler only. */
export function exportedNames(declarations: string): string[] {
  return [...new Set(namesIn(declarations))].sort((a, b) => (bare(a) < bare(b) ? -1 : 1));
}

const bare = (name: string): string => name.replace('type ', '');

// Parsed loosely: swc's own types do not know the fields that tell a type export from another.
interface Node {
  readonly type: string;
  readonly typeOnly?: boolean;
  readonly source?: { readonly value: string };
  readonly declaration?: { readonly type: string; readonly id?: { readonly value: string }; readonly identifier?: { readonly value: string }; readonly declarations?: readonly { readonly id: { readonly value: string } }[] };
  readonly specifiers?: readonly { readonly isTypeOnly?: boolean; readonly orig?: { readonly value: string }; readonly exported?: { readonly value: string } | null; readonly name?: { readonly value: string } }[];
}

function namesIn(file: string): string[] {
  const { body } = parseFileSync(file, { syntax: 'typescript' }) as unknown as { body: Node[] };
  return body.flatMap((node) => {
    if (node.type === 'ExportNamedDeclaration') return listed(node);
    if (node.type === 'ExportDeclaration') return declared(node);
    if (node.type === 'ExportAllDeclaration') return namesIn(besides(file, node.source?.value ?? ''));
    return node.type.startsWith('ExportDefault') ? ['default'] : [];
  });
}

function listed({ typeOnly = false, specifiers = [] }: Node): string[] {
  return specifiers.map(({ isTypeOnly = false, orig, exported, name }) => `${typeOnly || isTypeOnly ? 'type ' : ''}${(exported ?? name ?? orig)?.value}`);
}

function declared({ declaration }: Node): string[] {
  const isType = /^Ts(Interface|TypeAlias)/.test(declaration?.type ?? '');
  const names = declaration?.declarations?.map(({ id }) => id.value) ?? [(declaration?.identifier ?? declaration?.id)?.value ?? '?'];
  return names.map((name) => (isType ? `type ${name}` : name));
}

const besides = (file: string, path: string): string => join(dirname(file), path.replace(/[.](js|ts)$/, '.d.ts'));
