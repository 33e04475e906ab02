import { createHmac, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { parsedObject } from '../../core/parsed-json.ts';
import { Refusal } from '../../core/refusal.ts';
import { Disk } from '../disk/disk.ts';
import { codeOf } from '../disk/disk-errors.ts';
import { randomHex } from '../disk/random.ts';
import { hasProcess } from '../places/client-process.ts';

/** The MCP client a call came from, in its own words. */
export interface Client {
  readonly name: string;
  readonly version: string;
}

const OUTCOMES = ['accepted', 'unchanged', 'asked', 'queued', 'declined', 'refused', 'failed'] as const;
/**
 * `unchanged`: it was so already, or the person left the question. `asked`: the question is open. `declined`: a person said no.
 * `refused`: a rule did. `failed`: the machine did.
 */
export type AuditOutcome = (typeof OUTCOMES)[number];

/** One call that tried to change something. Callers mask secrets: the log writes what it is given. */
export interface AuditEntry {
  /** Where the call came in or the person was asked: mcp, terminal, dialog, page, hook. */
  readonly channel: string;
  readonly client?: Client | undefined;
  readonly action: string;
  readonly id?: string | undefined;
  readonly outcome: AuditOutcome;
  /** A stable code, such as a RefusalCode. */
  readonly reason?: string | undefined;
  /** Digest of the stored text; refused text has a fingerprint instead. */
  readonly digest?: string | null | undefined;
  /** `fingerprintRefused` of text that was refused. */
  readonly fingerprint?: string | undefined;
  /** `auditInput` of what the call said. */
  readonly input?: Readonly<Record<string, string>> | undefined;
}

/** What is known of a call before it ends. */
export type Attempt = Omit<AuditEntry, 'outcome'>;

/** An attempt as it was recorded. */
interface RecentAttempt {
  readonly at: number;
  readonly action: string;
  readonly outcome: string;
  readonly id: string | undefined;
}

const RECENT_BYTES = 256 * 1024;

function attemptIn(line: string): RecentAttempt[] {
  const { time, action, outcome, id } = parsedObject(line);
  if (typeof time !== 'string' || typeof action !== 'string' || typeof outcome !== 'string') return [];
  return [{ at: Date.parse(time), action, outcome, id: typeof id === 'string' ? id : undefined }];
}

/**
 * How a call that threw is recorded. No rule refused an unfinished call. Where a secret was found the line has no input: a
 * secret can be spread over several fields, and then no mask covers it.
 */
function failureOf(thrown: unknown): Pick<AuditEntry, 'outcome' | 'reason' | 'input'> {
  if (!(thrown instanceof Refusal)) return { outcome: 'failed', reason: 'bug' };
  const outcome = thrown.code === 'unfinished' ? 'failed' : 'refused';
  const holdsSecret = thrown.findings.some((finding) => finding.class === 'secret');
  return { outcome, reason: thrown.code, ...(holdsSecret && { input: undefined }) };
}

/** How a question ended without a yes. Only an answered no is a no: Enter alone and the end of input leave the question. */
export function withoutYes(isAnswered: boolean): Required<Pick<AuditEntry, 'outcome' | 'reason'>> {
  return isAnswered ? { outcome: 'declined', reason: 'person-said-no' } : { outcome: 'unchanged', reason: 'left' };
}

/** What was thrown and is on record already. */
const recorded = new WeakSet<object>();

const ROTATE_AT = 50 * 1024 * 1024;
const KEPT = 3;
const LONGEST_VALUE = 4096;
const FILE_MODE = 0o600;

/**
 * The record of every attempt: one JSON line each, never an exception.
 *
 * It does not write through `Disk`. Several processes append here without any lock, and `Disk.append` cuts the file back
 * to the size it saw when a write fails, which would take other processes' lines along. `Disk.append` also flushes each line.
 * This log needs no flush, because no standing rests on it, and an agent can cause refusals at will. A power cut may cost it
 * the last seconds.
 */
export class AuditLog {
  readonly #file: string;
  readonly #now: () => Date;
  readonly #complain: (line: string) => void;
  readonly #rotateAt: number;
  #complained = false;

  constructor(
    file: string,
    now: () => Date,
    complain: (line: string) => void,
    { rotateAt = ROTATE_AT }: { readonly rotateAt?: number } = {},
  ) {
    this.#file = file;
    this.#now = now;
    this.#complain = complain;
    this.#rotateAt = rotateAt;
  }

  /** `fingerprintRefused` with the key beside the log. */
  fingerprint(text: string): string {
    return fingerprintRefused(fingerprintKey(dirname(this.#file), new Disk(), this.#complain), text);
  }

  /** Attempts since a moment, oldest first, as far as the log's last 256 KiB reach. */
  recent(since: number): RecentAttempt[] {
    const disk = new Disk();
    const size = Number(disk.stamp(this.#file)?.size ?? 0);
    const bytes = disk.readFrom(this.#file, Math.max(0, size - RECENT_BYTES)) ?? Buffer.alloc(0);
    return bytes
      .toString('utf8')
      .split('\n')
      .flatMap(attemptIn)
      .filter(({ at }) => at >= since);
  }

  /** Adds one line. A log that cannot be written never breaks a call; the failure is reported once. */
  record(entry: AuditEntry): void {
    try {
      this.#append(Buffer.from(auditLine(entry, this.#now())));
    } catch (error) {
      this.#failed('The audit log cannot be written', error);
    }
  }

  /** Runs `work` and records how it ended: as accepted, unless `more` says otherwise, or why it threw. */
  async runAndRecord<T>(
    attempt: Attempt,
    work: () => T | Promise<T>,
    more: (done: T) => Partial<AuditEntry> = () => ({}),
  ): Promise<T> {
    try {
      const done = await work();
      this.record({ ...attempt, outcome: 'accepted', ...more(done) });
      return done;
    } catch (error) {
      this.recordFailure(attempt, error);
      throw error;
    }
  }

  /** Records a call that ended with this error. */
  recordFailure(attempt: Attempt, thrown: unknown): void {
    recorded.add(Object(thrown));
    this.record({ ...attempt, ...failureOf(thrown) });
  }

  /** Records a whole command that ended with this error, unless the part of it that failed is on record. */
  recordFailureOnce(attempt: Attempt, thrown: unknown): void {
    if (!recorded.has(Object(thrown))) this.recordFailure(attempt, thrown);
  }

  /** Runs what only prepares a call, and records it if it throws, because then the call has ended. */
  recordIfItThrows<T>(attempt: Attempt, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.recordFailure(attempt, error);
      throw error;
    }
  }

  #append(line: Buffer): void {
    this.#rotateBefore(line.length);
    const log = openLog(this.#file);
    try {
      // One write per line: with O_APPEND two processes' lines cannot mix.
      const whole = endsInsideLine(log) ? Buffer.concat([NEWLINE, line]) : line;
      const written = fs.writeSync(log.fd, whole);
      // The rest is not appended, because another line may follow already; the next record starts on a new line.
      if (written < whole.length) throw Object.assign(new Error('a line was cut'), { code: 'ENOSPC' });
    } finally {
      fs.closeSync(log.fd);
    }
  }

  /** audit → .1 → .2 → .3. A line that another process is writing stays with its file, so none is lost. */
  #rotateBefore(adding: number): void {
    const seen = fs.lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
    if (!seen?.isFile() || seen.size === 0n || seen.size + BigInt(adding) <= this.#rotateAt) return;
    try {
      const release = claimRotation(`${this.#file}.rotating`);
      // Another process is rotating: the line goes to the file that has the name now.
      if (release === undefined) return;
      try {
        const current = fs.lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
        // A different file means that it was rotated since the check; rotating again would drop the oldest.
        if (current?.ino === seen.ino && current.size >= seen.size) this.#rotate();
      } finally {
        release();
      }
    } catch (error) {
      this.#failed('The audit log cannot be rotated and grows beyond its limit', error);
    }
  }

  #rotate(): void {
    const old = (n: number) => `${this.#file}.${n}`;
    // Only up to the first gap, which a kill during rotation leaves: moving past it would drop one too many.
    let free = 1;
    while (free < KEPT && fs.lstatSync(old(free), { throwIfNoEntry: false }) !== undefined) free++;
    for (let n = free; n > 1; n--) fs.renameSync(old(n - 1), old(n));
    fs.renameSync(this.#file, old(1));
  }

  #failed(what: string, error: unknown): void {
    if (this.#complained) return;
    this.#complained = true;
    try {
      this.#complain(
        `${what} (${codeOf(error) || 'unknown error'}). Calls go on; see that its folder can be written and has room.`,
      );
    } catch {
      // stderr may fail too.
    }
  }
}

/** The line of an entry. Omissions are marked, and no character can end the line early or act on a terminal. */
export function auditLine(entry: AuditEntry, time: Date): string {
  const { channel, client, action, id, outcome, reason, digest, fingerprint, input } = entry;
  const line = { time: time.toISOString(), channel, client, action, id, outcome, reason, digest, fingerprint, input };
  const json = JSON.stringify(line, (_key, value: unknown) => (typeof value === 'string' ? cut(value) : value));
  return `${json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)}\n`;
}

/** Names a refused text without keeping it: equal texts get equal names, only on this machine. */
export function fingerprintRefused(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
}

const KEY_BYTES = 32;

/**
 * The local key for `fingerprintRefused`, made when it is missing or damaged. Two processes that make it at once may
 * differ until they restart; then one refused text has two names, and nothing else happens.
 */
export function fingerprintKey(stateFolder: string, disk: Disk, complain: (line: string) => void): Buffer {
  const file = join(stateFolder, 'audit.key');
  const kept = readKey(file, disk);
  if (kept !== undefined) return kept;
  const fresh = randomBytes(KEY_BYTES);
  try {
    disk.makeFolder(stateFolder);
    disk.replace(file, fresh);
    return readKey(file, disk) ?? fresh;
  } catch (error) {
    if (codeOf(error) === '') throw error;
    complain(
      `The key by which the audit log names refused texts cannot be written (${codeOf(error)}). Until it can, each process names one text in another way; nothing else depends on it.`,
    );
    return fresh;
  }
}

function readKey(file: string, disk: Disk): Buffer | undefined {
  const entry = disk.read(file, KEY_BYTES);
  return entry.kind === 'file' && entry.bytes.length === KEY_BYTES ? entry.bytes : undefined;
}

function cut(text: string): string {
  if (text.length <= LONGEST_VALUE) return text;
  const characters = [...text];
  const more = characters.length - LONGEST_VALUE;
  return more <= 0 ? text : `${characters.slice(0, LONGEST_VALUE).join('')}…[${more} more characters cut]`;
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

interface OpenLog {
  readonly fd: number;
  readonly size: number;
}

const NEWLINE = Buffer.from('\n');

function openLog(file: string): OpenLog {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const open = () => fs.openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
  let fd: number;
  try {
    fd = open();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    fd = open();
  }
  try {
    const stat = fs.fstatSync(fd, { bigint: true });
    if (!stat.isFile() || stat.nlink > 1n) throw Object.assign(new Error('not a plain file'), { code: 'EFTYPE' });
    if ((stat.mode & 0o077n) !== 0n) fs.fchmodSync(fd, FILE_MODE);
    return { fd, size: Number(stat.size) };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** A full disk or a kill can leave half a line, which must not swallow the next one. */
function endsInsideLine({ fd, size }: OpenLog): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && fs.readSync(fd, last, 0, 1, size - 1) === 1 && !last.equals(NEWLINE);
}

/**
 * The right to rotate, for one process at a time. The claim is a hard link to a finished file with its owner's process
 * id, so a killed process's claim is recognized without a clock.
 */
function claimRotation(claim: string): (() => void) | undefined {
  const mine = join(dirname(claim), `.tmp-${randomHex(8)}`);
  fs.writeFileSync(mine, String(process.pid), { flag: 'wx', mode: FILE_MODE });
  try {
    const claimed = linkFree(mine, claim) || (removeAbandoned(claim) && linkFree(mine, claim));
    return claimed ? () => fs.unlinkSync(claim) : undefined;
  } finally {
    fs.unlinkSync(mine);
  }
}

function linkFree(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeAbandoned(claim: string): boolean {
  const aside = join(dirname(claim), `.tmp-${randomHex(8)}`);
  try {
    const owner = fs.readFileSync(claim, 'utf8');
    if (isOther(Number(owner))) return false;
    // Moved and checked again before it is deleted: another process may have put its own claim there.
    fs.renameSync(claim, aside);
    const abandoned = fs.readFileSync(aside, 'utf8') === owner;
    if (!abandoned) linkFree(aside, claim);
    fs.unlinkSync(aside);
    return abandoned;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Rotating is synchronous, so a claim with this process's id is from an earlier process with that id. */
function isOther(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && pid !== process.pid && hasProcess(pid);
}
