import type { BlockType, ContentBlock, Role } from './blocks.ts';
import { invalid } from './invalid.ts';

const ROLES: readonly Role[] = ['USER', 'ASSISTANT', 'SYSTEM', 'TOOL'];
const MEDIA: readonly BlockType[] = ['text', 'data', 'image', 'audio', 'video'];
/** AgentScope's role rules (WIRE §1.1). A role that is not here may hold every block. */
const ALLOWED: Readonly<Partial<Record<Role, readonly BlockType[]>>> = { USER: MEDIA, SYSTEM: ['text'] };

/** Any case is read. @throws AgentScopeError `message/invalid` */
export function readRole(value: unknown, path = 'role'): Role {
  const role = typeof value === 'string' ? ROLES.find((candidate) => candidate === value.toUpperCase()) : undefined;
  if (role === undefined) throw invalid(path, `it is one of ${ROLES.join(', ')}, in any case`);
  return role;
}

/** @throws AgentScopeError `message/invalid`, naming the first block the role may not hold */
export function checkRole(role: Role, content: readonly ContentBlock[]): void {
  const allowed = ALLOWED[role];
  if (allowed === undefined) return;
  const at = content.findIndex((block) => !allowed.includes(block.type));
  if (at >= 0) throw invalid(`content[${at}].type`, `a ${role} message holds ${allowed.join(', ')} and nothing else`);
}

/** Whether the role may hold the block. */
export function mayHold(role: Role, type: BlockType): boolean {
  return ALLOWED[role]?.includes(type) ?? true;
}
