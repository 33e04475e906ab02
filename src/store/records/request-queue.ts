import { dirname, join } from 'node:path';
import { isObject } from '../../core/is-object.ts';
import { parseId } from '../../core/memory/ids.ts';
import { parsedJson } from '../../core/parsed-json.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';
import type { Client } from './audit-log.ts';

const REQUEST_VERBS = ['promote', 'adopt', 'demote', 'restore', 'reaffirm'] as const;
type RequestVerb = (typeof REQUEST_VERBS)[number];

/** An agent's request made while nobody could be asked. It decides nothing: review checks everything again. */
export interface Request {
  readonly id: string;
  readonly verb: RequestVerb;
  /** Digest of the text at the time of the request; null where the file cannot be read as a memory. */
  readonly digest: string | null;
  readonly askedAt: string;
  readonly client: Client;
  /** The agent's own words, unchanged: sanitize before showing. */
  readonly reason?: string;
  /** When these words came through the person's prompt. The line has a seal of this machine's for it; without one it is left out. */
  readonly prompted?: string;
}

interface RequestQueue {
  /** Oldest first. */
  readonly requests: readonly Request[];
  /** Lines that are no request; they are skipped, and dropped at the next change of the queue. */
  readonly unreadable: number;
}

export const MOST_REQUESTS = 100;
const LONGEST_REASON = 1000;
const LONGEST_CLIENT = 200;
/** Larger than a full queue of the longest requests with every character escaped. */
const LARGEST_FILE = 2 * 1024 * 1024;

/**
 * The requests that wait for `surety review`, one per memory. Callers hold the store's lock while they add or settle:
 * the file is rewritten whole.
 */
export class Requests {
  readonly #file: string;
  readonly #disk: Disk;
  readonly #seal: (text: string) => string;

  /** `seal` makes of a text what only this machine can make of it. */
  constructor(file: string, disk: Disk, seal: (text: string) => string) {
    this.#file = file;
    this.#disk = disk;
    this.#seal = seal;
  }

  list(): RequestQueue {
    const entry = this.#disk.read(this.#file, LARGEST_FILE);
    if (entry.kind === 'absent') return { requests: [], unreadable: 0 };
    if (entry.kind === 'refused') return { requests: [], unreadable: 1 };
    const byId = new Map<string, Request>();
    let unreadable = 0;
    for (const line of entry.bytes.toString('utf8').split('\n')) {
      if (line.trim() === '') continue;
      const request = this.#read(parsedJson(line));
      if (request === undefined) unreadable++;
      else put(byId, request);
    }
    return { requests: [...byId.values()], unreadable };
  }

  /** The request for this memory, if one waits. */
  one(id: string): Request | undefined {
    return this.list().requests.find((request) => request.id === id);
  }

  /**
   * Queues a request, replacing an older one for its memory. A demote is replaced by none that raises or keeps trust in the same
   * text, because the person would not hear that an agent doubts it.
   */
  add(request: Request): void {
    const { name, version } = request.client;
    const kept = formOf({ ...request, client: { name: short(name), version: short(version) } });
    if (kept === undefined) {
      throw new Refusal('invalid-input', 'The request cannot be queued: one of its values is not valid.');
    }
    const byId = new Map(this.list().requests.map((waiting) => [waiting.id, waiting]));
    const older = byId.get(kept.id);
    const isLowering = older?.verb === 'demote' && older.digest === kept.digest;
    if (isLowering && kept.verb !== 'demote' && kept.verb !== 'restore') {
      throw new Refusal(
        'demote-waits',
        'An earlier request to put this memory into quarantine waits for the person in surety review, so this one was not queued. Do not ask again.',
      );
    }
    if (!byId.has(kept.id) && byId.size >= MOST_REQUESTS) {
      throw new Refusal(
        'queue-full',
        `${MOST_REQUESTS} requests are waiting already. The operator can settle them with surety review; then ask again.`,
      );
    }
    put(byId, kept);
    this.#write([...byId.values()]);
  }

  /** Removes the request for this memory; false when there was none. */
  settle(id: string): boolean {
    const { requests } = this.list();
    const left = requests.filter((request) => request.id !== id);
    if (left.length === requests.length) return false;
    this.#write(left);
    return true;
  }

  #read(value: unknown): Request | undefined {
    const request = formOf(value);
    if (request?.prompted === undefined) return request;
    const { prompted: _, ...unproven } = request;
    return isObject(value) && value.seal === this.#sealOf(request) ? request : unproven;
  }

  #write(requests: readonly Request[]): void {
    this.#disk.makeFolder(dirname(this.#file));
    this.#disk.replace(this.#file, requests.map((request) => `${JSON.stringify(this.#sealed(request))}\n`).join(''));
  }

  #sealed(request: Request) {
    return request.prompted === undefined ? request : { ...request, seal: this.#sealOf(request) };
  }

  #sealOf({ id, digest, prompted }: Request): string {
    return this.#seal(JSON.stringify(['prompted', id, digest, prompted]));
  }
}

export function requestsOf(vault: Vault): Requests {
  const { places, disk, key } = insideOf(vault);
  return new Requests(join(places.state, 'requests.jsonl'), disk, (text) => key.seal('surety-request-1', text));
}

/** The newest comes last, also when it replaces an older one. */
function put(byId: Map<string, Request>, request: Request): void {
  byId.delete(request.id);
  byId.set(request.id, request);
}

/** A value as a request, without other fields; used for writing and reading, so nothing written is unreadable. */
function formOf(value: unknown): Request | undefined {
  if (!isObject(value) || !isObject(value.client)) return undefined;
  const { id, digest, askedAt, reason, prompted } = value;
  const { name, version } = value.client;
  const verb = REQUEST_VERBS.find((known) => known === value.verb);
  if (verb === undefined || typeof id !== 'string' || parseId(id) === undefined) return undefined;
  if (digest !== null && !(typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest))) return undefined;
  if (typeof askedAt !== 'string' || !isTime(askedAt)) return undefined;
  if (!isText(name, LONGEST_CLIENT) || !isText(version, LONGEST_CLIENT)) return undefined;
  if (reason !== undefined && !isText(reason, LONGEST_REASON)) return undefined;
  if (prompted !== undefined && !(typeof prompted === 'string' && isTime(prompted))) return undefined;
  const more = { ...(reason === undefined ? {} : { reason }), ...(prompted === undefined ? {} : { prompted }) };
  return { id, verb, digest, askedAt, client: { name, version }, ...more };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most;
}

function isTime(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(value) && !Number.isNaN(Date.parse(value));
}

function short(text: string): string {
  return text.length <= LONGEST_CLIENT ? text : `${text.slice(0, LONGEST_CLIENT - 1)}…`;
}
