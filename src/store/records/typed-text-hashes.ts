import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { sha256 } from '../../core/memory/memory.ts';
import { parsedObject } from '../../core/parsed-json.ts';
import { reveal } from '../../core/text/safe-text.ts';
import { asRun } from '../../core/text/sentence-runs.ts';
import { DAY_MS, parseTimestamp, timestamp } from '../../core/trust/clocks.ts';
import type { Disk } from '../disk/disk.ts';
import { randomHex } from '../disk/random.ts';
import { clientProcess, isRunning, type ProcessIdentity } from '../places/client-process.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Loaded, Vault } from '../vault/vault.ts';

/** A session's key is kept for at most a day. */
const LONGEST_KEPT_MS = DAY_MS;
/** At most 256 KiB a session, some 500 prompts of ten sentences; then it begins with a new key. */
const LARGEST_FILE = 256 * 1024;

interface OpenedPrompts {
  readonly client: ProcessIdentity;
  readonly key: string;
  /** One line a prompt: when it came, and the hashes of its runs. */
  readonly lines: readonly string[];
}

/**
 * What came through the prompts of running clients, as keyed hashes: no text, and nothing that tells a text without the key. Each
 * client process has a file with a key of its own, which is removed with the session.
 */
export class TypedTextHashes {
  readonly #folder: string;
  readonly #disk: Disk;

  constructor(state: string, disk: Disk) {
    this.#folder = join(state, 'prompts');
    this.#disk = disk;
  }

  /** Keeps hashes of runs that came through this client's prompt. */
  keep(client: ProcessIdentity, runs: readonly string[], at: number): void {
    if (runs.length === 0) return;
    this.#disk.makeFolder(this.#folder);
    this.removeEnded(at);
    const path = this.#pathOf(client);
    const key = this.#open(path, at)?.key ?? this.#begin(path, client, at);
    const line = JSON.stringify({ at: timestamp(at), runs: runs.map((run) => hashed(key, run)) });
    this.#disk.appendCopy(path, `${line}\n`);
  }

  /** When this run first came through the client's prompt; undefined if it did not, or a day ago. */
  find(client: ProcessIdentity, run: string, now: number): number | undefined {
    const open = this.#open(this.#pathOf(client), now);
    if (open === undefined) return undefined;
    const wanted = hashed(open.key, run);
    for (const line of open.lines) {
      const { at, runs } = parsedObject(line);
      if (typeof at === 'string' && Array.isArray(runs) && runs.includes(wanted)) return parseTimestamp(at);
    }
    return undefined;
  }

  /** Removes a session's key and hashes. */
  forget(client: ProcessIdentity): void {
    this.#disk.discard(this.#pathOf(client));
  }

  /** Removes the keys and hashes of sessions that were killed, and those that are a day old. */
  removeEnded(now: number): void {
    for (const name of this.#disk.names(this.#folder)) {
      const path = join(this.#folder, name);
      const open = this.#open(path, now);
      if (open === undefined || !isRunning(open.client)) this.#disk.discard(path);
    }
  }

  #pathOf({ pid, started }: ProcessIdentity): string {
    return join(this.#folder, `${sha256(`${pid} ${started}`).slice(0, 32)}.jsonl`);
  }

  #begin(path: string, { pid, started }: ProcessIdentity, at: number): string {
    const key = randomHex(32);
    const first = JSON.stringify({ pid, started, made: timestamp(at), key });
    this.#disk.replaceCache(path, [Buffer.from(`${first}\n`)]);
    return key;
  }

  #open(path: string, now: number): OpenedPrompts | undefined {
    const entry = this.#disk.read(path, LARGEST_FILE);
    if (entry.kind !== 'file') return undefined;
    const [first = '', ...lines] = entry.bytes.toString('utf8').split('\n');
    const { pid, started, made, key } = parsedObject(first);
    const since = typeof made === 'string' ? parseTimestamp(made) : undefined;
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof key !== 'string') return undefined;
    if (since === undefined || Math.abs(now - since) > LONGEST_KEPT_MS) return undefined;
    return { client: { pid, started }, key, lines };
  }
}

/** When the whole body of a memory came through the prompt of the client that started this process. */
export function promptedAt(vault: Vault, { memory }: Loaded): number | undefined {
  const run = memory && asRun(reveal(memory.body));
  const client = run === undefined ? undefined : clientProcess();
  if (run === undefined || client === undefined) return undefined;
  const { places, disk } = insideOf(vault);
  return new TypedTextHashes(places.state, disk).find(client, run, vault.now());
}

function hashed(key: string, run: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(run).digest('base64url').slice(0, 22);
}
