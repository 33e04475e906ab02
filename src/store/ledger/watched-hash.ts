import { createHash } from 'node:crypto';

/** A SHA-256 of bytes that come in portions, given up once a text is among them. */
export class WatchedHash {
  readonly #text: string;
  #hash = createHash('sha256');
  /** The last bytes, which may be the beginning of the text. */
  #end = Buffer.alloc(0);
  #isFound = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the text is among the bytes. Then there is no sum. */
  get isFound(): boolean {
    return this.#isFound;
  }

  /** The SHA-256 of the bytes so far, in hex; undefined if the text is among them. */
  get sum(): string | undefined {
    return this.#isFound ? undefined : this.#hash.copy().digest('hex');
  }

  update(bytes: Buffer): void {
    if (this.#isFound) return;
    const across = Buffer.concat([this.#end, bytes.subarray(0, this.#text.length)]);
    this.#isFound = across.includes(this.#text) || bytes.includes(this.#text);
    if (this.#isFound) return;
    this.#hash.update(bytes);
    // Portions can be shorter than the text.
    this.#end = Buffer.concat([this.#end, bytes.subarray(-this.#text.length)]).subarray(-this.#text.length);
  }

  /** Another one with the same bytes so far. */
  copy(): WatchedHash {
    const copy = new WatchedHash(this.#text);
    copy.#hash = this.#hash.copy();
    copy.#end = this.#end;
    copy.#isFound = this.#isFound;
    return copy;
  }
}
