import type { JsonObject } from '../internal/index.ts';
import { normalPath, textsOf } from './arguments.ts';

/**
 * Places where a change reaches beyond the task: keys and credentials, what a shell, an editor or a version control runs by itself, and
 * the system. A name without a slash is any segment of a path; one that begins with `/` or `~` is the place and what is below it.
 */
export const DANGEROUS_PATHS: readonly string[] = [
  '.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.netrc', '.npmrc', '.pypirc', '.env', 'authorized_keys', 'id_rsa', 'id_ed25519',
  '.git', '.gitconfig', '.gitmodules', '.hg', '.svn', '.vscode', '.idea', '.cursor', '.claude', '.agentscope', '.mcp.json',
  '.bashrc', '.bash_profile', '.bash_login', '.profile', '.zshrc', '.zprofile', '.zshenv', '.inputrc',
  '/etc', '/boot', '/dev', '/proc', '/sys', '/bin', '/sbin', '/lib', '/usr', '/system', '/library', 'c:/windows', 'c:/program files',
];

/** The first dangerous place that a call names; undefined: none. */
export function dangerousPath(input: JsonObject, places: readonly string[] = DANGEROUS_PATHS): string | undefined {
  if (places.length === 0) return undefined;
  for (const { kind, text } of textsOf(input)) {
    const named = kind === 'path' ? [text] : kind === 'command' ? wordsOf(text) : [];
    const found = named.find((path) => isDangerous(path, places));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What of a command may be a path. Where a program lies is no danger, and neither is throwing output away. */
function wordsOf(command: string): readonly string[] {
  const words = command.split(/[\s"'`;|&()<>=]+/);
  return words.filter((word) => /^[.~/]|[/\\]/.test(word) && !/^\/(usr\/(local\/)?)?s?bin\/[\w.-]+$/.test(word) && word !== '/dev/null');
}

function isDangerous(given: string, places: readonly string[]): boolean {
  const path = normalPath(given.trim()).toLowerCase();
  if (path === '/' || path === '~' || /^[a-z]:$/.test(path)) return true;
  const segments = path.split('/');
  return places.some((place) => {
    const name = place.toLowerCase();
    if (name.includes('/') || name.startsWith('~')) return path === name || path.startsWith(`${name}/`);
    return segments.some((segment) => segment === name || (name === '.env' && segment.startsWith('.env.')));
  });
}
