import type { SseEnd, SseFrame } from './sse.ts';

/** Cuts bytes into lines, however the network cut them: each line that is not blank is the data of one frame (newline-delimited JSON). */
export class LineCutter {
  /** Also drops a leading byte order mark. */
  readonly #decoder: TextDecoder = new TextDecoder('utf-8', { ignoreBOM: false });
  /** Pieces of a line that has no end yet; joined when it has one, so a long line costs its length once. */
  #pieces: string[] = [];

  push(bytes: Uint8Array): SseFrame[] {
    const frames: SseFrame[] = [];
    const text = this.#decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = this.#whole(text.slice(start, end));
      if (!isBlankLine(line)) frames.push(frameOf(line));
      start = end + 1;
    }
    if (start < text.length) this.#pieces.push(text.slice(start));
    return frames;
  }

  /** The last line, which needs no line end. */
  end(): SseEnd {
    const broken = this.#decoder.decode();
    const line = this.#whole('');
    if (broken !== '') return { frame: undefined, cut: 'character' };
    return { frame: isBlankLine(line) ? undefined : frameOf(line), cut: undefined };
  }

  #whole(piece: string): string {
    if (this.#pieces.length === 0) return piece;
    this.#pieces.push(piece);
    const line = this.#pieces.join('');
    this.#pieces = [];
    return line;
  }
}

function isBlankLine(line: string): boolean {
  return line.trim() === '';
}

function frameOf(data: string): SseFrame {
  return { data, event: undefined, id: undefined };
}
