import { isObject } from '../../internal/index.ts';
import type { Source } from '../blocks.ts';
import { splitDataUrl } from '../data-url.ts';
import { invalid } from '../invalid.ts';
import { readText } from '../members.ts';

const UNKNOWN_TYPE = 'application/octet-stream';

/** A source in any of the four spellings of its media type. Without `type`, a `url` member says which kind it is. */
export function readSource(value: unknown, path: string): Source {
  if (!isObject(value)) throw invalid(path, 'it is an object with a type, url or base64');
  const type = value['type'] ?? (value['url'] === undefined ? 'base64' : 'url');
  const mediaType = readText(value['mediaType'] ?? value['media_type'] ?? value['mimeType'] ?? value['mime_type'], `${path}.mediaType`, '');
  if (type === 'url') return { type, url: readText(value['url'], `${path}.url`, ''), ...(mediaType === '' ? {} : { mediaType }) };
  if (type === 'base64') return base64Source(readText(value['data'], `${path}.data`, ''), mediaType);
  throw invalid(`${path}.type`, 'it is url or base64');
}

function base64Source(data: string, mediaType: string): Source {
  const inline = splitDataUrl(data);
  return { type: 'base64', data: inline?.data ?? data, mediaType: mediaType || inline?.mediaType || UNKNOWN_TYPE };
}
