import { hash, timingSafeEqual } from 'node:crypto';
import type { Finding, Span } from '../../core/finding.ts';
import type { FieldValue, Remark } from '../../core/memory/document.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { digestOf } from '../../core/memory/memory.ts';
import type { Masks } from '../../core/secrets/detect.ts';
import { VERSION } from '../../version.ts';
import { read } from '../format/format.ts';
import { hashesOf, type Interpreted } from '../format/interpret.ts';
import type { MachineKey } from '../ledger/machine-key.ts';
import type { Settings } from '../places/settings.ts';
import type { IndexedFacts, SealedFacts } from './rows.ts';

const SEAL = 32;

type CachedField = readonly [key: string, value: FieldValue, line: number];
type CachedFinding = readonly [Finding['class'], string, Finding['severity'], string, number, string, Span | null];
/** Findings in a text that is not kept: rules and places. */
type CachedFindings = readonly [findings: readonly CachedFinding[], masks: readonly Masks[] | null];
type CachedParse = readonly [
  bodyOffset: number,
  bodyLine: number,
  bom: boolean,
  fields: readonly CachedField[],
  remarks: readonly Remark[],
  saying: string,
  findings: readonly CachedFinding[],
];

/** What a parse cache seals with. It can be given to another thread, which a machine's key cannot. */
export interface CacheSecrets {
  readonly readings: Uint8Array;
  readonly rows: Uint8Array;
}

export function cacheSecrets(
  key: MachineKey,
  rules: string,
  { owner, injection }: Pick<Settings, 'owner' | 'injection'>,
): CacheSecrets {
  return {
    // Everything besides the bytes that decides the result.
    readings: key.secretFor(JSON.stringify(['surety-reading-6', VERSION, rules, owner, injection])),
    // Without the rules: a row names its own, and rows of earlier rules are still used.
    rows: key.secretFor(JSON.stringify(['surety-row-2', owner, injection])),
  };
}

/**
 * Parse results, kept in the index to spare parsing and checking a file again. One is valid only for its exact bytes
 * and rules, and sealed with this machine's secret: writing into the cache folder can only cause a new parse. Standing
 * is never cached.
 */
export class ParseCache {
  readonly #secrets: CacheSecrets;

  constructor(secrets: CacheSecrets) {
    this.#secrets = secrets;
  }

  /** Proves that this machine wrote a row of the index. */
  sealOfRow({ place, stem, stamp, id, digest, saying, claim, rules, blocked, held, anchored }: IndexedFacts): Buffer {
    const { inode, size, modified } = stamp;
    const read = [id, digest, saying, claim, rules, blocked, held, anchored];
    const facts = [place, stem, `${inode}`, size, `${modified}`, ...read];
    return sealWith(this.#secrets.rows, [Buffer.from(JSON.stringify(facts))]);
  }

  /** Whether this machine wrote this row: writing into the cache folder can only cause a file to be read. */
  isOurs(row: SealedFacts): boolean {
    return row.seal?.length === SEAL && timingSafeEqual(row.seal, this.sealOfRow(row));
  }

  /**
   * Null for a file that could not be checked in full and is parsed each time. Of a text that is blocked, may hold a
   * secret or is no memory, only the findings are kept and no word, because the checks take most of the time.
   */
  seal(
    stem: string,
    bytes: Buffer,
    { subject, digest, saying, inspection, masks }: Interpreted,
    isServed = true,
  ): Buffer | null {
    const { document } = subject;
    const { findings, crashed, blocked } = inspection;
    if (crashed.length > 0) return null;
    const found = findings.map(
      (f): CachedFinding => [f.class, f.rule, f.severity, f.field, f.line, f.message, f.span ?? null],
    );
    const isQuick = isServed && !blocked && !findings.some((finding) => finding.class === 'secret');
    if (!isQuick || document === undefined || digest === null || saying === null || document.notes.includes('crlf'))
      return this.#sealed(stem, bytes, [found, masks ?? null]);
    return this.#sealed(stem, bytes, [
      bytes.length - Buffer.byteLength(document.body),
      document.bodyLine,
      document.notes.includes('bom'),
      [...document.fields].map(([key, value]) => [key, value, document.lines.get(key) ?? 1]),
      document.remarks,
      saying,
      found,
    ]);
  }

  #sealed(stem: string, bytes: Buffer, kept: CachedParse | CachedFindings): Buffer {
    const payload = Buffer.from(JSON.stringify(kept));
    return Buffer.concat([this.#sealOf(stem, bytes, payload), payload]);
  }

  /** The result sealed for exactly this file; undefined otherwise. */
  open(stem: string, bytes: Buffer, sealed: Buffer): Interpreted | undefined {
    const payload = sealed.subarray(SEAL);
    if (sealed.length <= SEAL || !timingSafeEqual(sealed.subarray(0, SEAL), this.#sealOf(stem, bytes, payload))) {
      return undefined;
    }
    const all = JSON.parse(payload.toString('utf8')) as CachedParse | CachedFindings;
    if (all.length === 2) return outcomeIn(stem, bytes, all);
    const [offset, bodyLine, bom, kept, remarks, saying, found] = all;
    const fields = new Map<string, FieldValue>();
    const lines = new Map<string, number>();
    for (const [key, value, line] of kept) {
      fields.set(key, value);
      lines.set(key, line);
    }
    const document = {
      fields,
      lines,
      remarks,
      body: bytes.toString('utf8', offset),
      bodyLine,
      notes: bom ? (['bom'] as const) : [],
    };
    const subject = subjectOf(stem, { kind: 'document', document }, 'found', bytes);
    return {
      subject,
      // Never kept: a program that has the machine's key could seal another text with the digest that a person vouched for.
      digest: subject.memory === undefined ? null : digestOf(subject.memory),
      saying,
      inspection: { findings: found.map(findingIn), crashed: [], blocked: false },
    };
  }

  #sealOf(stem: string, bytes: Buffer, payload: Buffer): Buffer {
    const about = Buffer.from(`${JSON.stringify([stem, bytes.length, payload.length])}\n`);
    return sealWith(this.#secrets.readings, [about, bytes, payload]);
  }
}

/** The cached findings with the file parsed again, which takes little time compared to the checks. */
function outcomeIn(stem: string, bytes: Buffer, [found, masks]: CachedFindings): Interpreted {
  const subject = subjectOf(stem, read(bytes), 'found', bytes);
  const findings = found.map(findingIn);
  const inspection = { findings, crashed: [], blocked: findings.some(({ severity }) => severity === 'block') };
  return { subject, ...hashesOf(subject), inspection, masks: masks ?? undefined };
}

function findingIn([of, rule, severity, field, line, message, span]: CachedFinding): Finding {
  return { class: of, rule, severity, field, line, ...(span && { span }), message };
}

/**
 * The secret and the parts in one hash. SHA-512/256 does not show its whole state, so nobody can go on hashing from a
 * seal, and half of HMAC's work does.
 */
function sealWith(secret: Uint8Array, parts: readonly Buffer[]): Buffer {
  return hash('sha512-256', Buffer.concat([secret, ...parts]), 'buffer');
}
