import { join } from 'node:path';
import { sha256 } from '../../core/memory/memory.ts';
import { DAY_MS } from '../../core/trust/clocks.ts';
import type { Disk } from '../disk/disk.ts';

/** At most 64 KiB of ids, more than a thousand memories; then the session is given none by itself any more. */
const LARGEST_FILE = 64 * 1024;
/** What a session was given is kept for a week after the last time, because people come back to a conversation. */
const LONGEST_KEPT_MS = 7 * DAY_MS;

/**
 * Which memories a client's session was given without asking, so that none is given twice. A file for each session, named after a
 * hash of the client's own name for it; it holds ids and nothing else.
 */
export class GivenMemories {
  readonly #folder: string;
  readonly #path: string;
  readonly #disk: Disk;

  constructor(state: string, session: string, disk: Disk) {
    this.#folder = join(state, 'given');
    this.#path = join(this.#folder, `${sha256(session).slice(0, 32)}.txt`);
    this.#disk = disk;
  }

  /** Undefined where it cannot be known. */
  ids(): ReadonlySet<string> | undefined {
    const entry = this.#disk.read(this.#path, LARGEST_FILE);
    if (entry.kind === 'absent') return new Set();
    return entry.kind === 'file' ? new Set(entry.bytes.toString('utf8').split('\n')) : undefined;
  }

  add(ids: readonly string[]): void {
    this.#disk.makeFolder(this.#folder);
    this.#disk.appendCopy(this.#path, lines(ids));
  }

  /** Begins again with these: a session that is new, or has forgotten what it was given. */
  begin(ids: readonly string[], now: number): void {
    this.#disk.makeFolder(this.#folder);
    this.#disk.replaceCache(this.#path, [Buffer.from(lines(ids))]);
    for (const name of this.#disk.names(this.#folder)) {
      const path = join(this.#folder, name);
      const modified = Number((this.#disk.stamp(path)?.modified ?? 0n) / 1_000_000n);
      if (now - modified > LONGEST_KEPT_MS) this.#disk.discard(path);
    }
  }
}

function lines(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join('');
}
