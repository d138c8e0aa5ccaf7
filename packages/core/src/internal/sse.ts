/** One event of a stream: its data lines joined, its `event:` and `id:` where it had them. */
export interface SseFrame {
  readonly data: string;
  readonly event: string | undefined;
  readonly id: string | undefined;
}

/** What was left when the bytes ended. */
export interface SseEnd {
  /** An event whose closing blank line never came. Read it only if its data is complete by itself. */
  readonly frame: SseFrame | undefined;
  /** The bytes ended inside a line that is neither data nor a comment, or inside a character (UTF-8). */
  readonly cut: 'line' | 'character' | undefined;
}

/**
 * Cuts bytes into server-sent events (WHATWG HTML, "event stream interpretation"), however the network cut them. The common event,
 * one `data:` line and a blank line, costs two searches and one slice.
 */
export class SseCutter {
  /** Also drops a leading byte order mark. */
  readonly #decoder: TextDecoder = new TextDecoder('utf-8', { ignoreBOM: false });
  /** Pieces of a line that has no end yet; joined when it has one, so a long line costs its length once. */
  #pieces: string[] = [];
  /** The last character was CR: an LF that follows belongs to it. */
  #afterCr = false;
  #data: string | undefined;
  #event: string | undefined;
  #id: string | undefined;
  /** Events of the running push. */
  #frames: SseFrame[] = [];

  push(bytes: Uint8Array): SseFrame[] {
    this.#frames = [];
    const text = this.#whole(this.#decoder.decode(bytes, { stream: true }));
    if (text === undefined) return this.#frames;
    const rest = text.includes('\r') || this.#afterCr ? this.#anyLines(text) : this.#lfLines(text);
    if (rest < text.length) this.#pieces.push(rest === 0 ? text : text.slice(rest));
    return this.#frames;
  }

  end(): SseEnd {
    const broken = this.#decoder.decode();
    const line = this.#pieces.join('');
    this.#pieces = [];
    const data = line.startsWith('data:');
    if (data && broken === '') this.#field(line, 0, line.length);
    const frame = this.#data === undefined ? undefined : { data: this.#data, event: this.#event, id: this.#id };
    this.#clear();
    if (broken !== '') return { frame: undefined, cut: 'character' };
    return { frame, cut: line === '' || data || line.startsWith(':') ? undefined : 'line' };
  }

  /** The text from the start of the open line on, or nothing while that line goes on. */
  #whole(piece: string): string | undefined {
    if (piece === '') return undefined;
    if (this.#pieces.length === 0) return piece;
    this.#pieces.push(piece);
    if (!piece.includes('\n') && !piece.includes('\r')) return undefined;
    const text = this.#pieces.join('');
    this.#pieces = [];
    return text;
  }

  /** Lines that end in LF. Gives back where the unfinished line starts. */
  #lfLines(text: string): number {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (this.#data === undefined && text.charCodeAt(end + 1) === 10 && text.startsWith('data: ', start)) {
        this.#frames.push({ data: text.slice(start + 6, end), event: this.#event, id: this.#id });
        this.#clear();
        start = end + 2;
        continue;
      }
      this.#line(text, start, end);
      start = end + 1;
    }
    return start;
  }

  /** Lines that end in LF, CRLF or CR. */
  #anyLines(text: string): number {
    let start = this.#afterCr && text.charCodeAt(0) === 10 ? 1 : 0;
    this.#afterCr = false;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) continue;
      this.#line(text, start, at);
      if (code === 13 && at + 1 === text.length) this.#afterCr = true;
      if (code === 13 && text.charCodeAt(at + 1) === 10) at++;
      start = at + 1;
    }
    return start;
  }

  #line(text: string, start: number, end: number): void {
    if (end > start) return this.#field(text, start, end);
    if (this.#data !== undefined) this.#frames.push({ data: this.#data, event: this.#event, id: this.#id });
    this.#clear();
  }

  #field(text: string, start: number, end: number): void {
    const colon = text.indexOf(':', start);
    if (colon === start) return; // a comment
    const nameEnd = colon < 0 || colon > end ? end : colon;
    const valueStart = Math.min(nameEnd + (text.charCodeAt(nameEnd + 1) === 32 ? 2 : 1), end);
    const value = text.slice(valueStart, end);
    switch (text.slice(start, nameEnd)) {
      case 'data':
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
        return;
      case 'event':
        this.#event = value;
        return;
      case 'id':
        if (!value.includes('\0')) this.#id = value;
        return;
      default: // `retry:` is for browsers; other names are ignored by the standard
    }
  }

  /** The id stays: an event without one has the id of the event before it. */
  #clear(): void {
    this.#data = undefined;
    this.#event = undefined;
  }
}
