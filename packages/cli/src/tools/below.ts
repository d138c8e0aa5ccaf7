import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** A path as the file system has it, with all links followed, and as it is named from the folder. */
export interface Below {
  readonly path: string;
  /** `.` for the folder itself; with `/`. */
  readonly name: string;
}

/**
 * A file or folder below another one: neither `..` nor a link leads out of it.
 *
 * @throws Error in words for a model
 */
export async function below(folder: string, wanted: string): Promise<Below> {
  if (wanted.includes('\0')) throw new Error('That is no path.');
  const root = await realpath(folder);
  const path = await realpath(resolve(root, wanted)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(isOutside(root, resolve(root, wanted)) ? OUTSIDE : error.code === 'ENOENT' ? `There is no ${JSON.stringify(wanted)} here.` : `${JSON.stringify(wanted)} cannot be read (${error.code ?? error.message}).`);
  });
  if (isOutside(root, path)) throw new Error(OUTSIDE);
  return { path, name: relative(root, path).split(sep).join('/') || '.' };
}

const OUTSIDE = 'Only files below the folder the program was started in can be seen.';

function isOutside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** Files with keys and the like: hidden ones, and those whose names say so. A person is asked first. */
export function isPrivateName(path: string): boolean {
  return path.split(/[\\/]/).some((part) => /^\.[^.]/.test(part) || /\.(pem|key|p12|pfx|keystore)$|^id_[a-z0-9]+$|secret|credential|password/i.test(part));
}
