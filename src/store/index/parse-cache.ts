import { hash, timingSafeEqual } from 'node:crypto';
import type { Finding, Span } from '../../core/finding.ts';
import type { FieldValue, Remark } from '../../core/memory/document.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { VERSION } from '../../version.ts';
import type { Interpreted } from '../format/interpret.ts';
import type { MachineKey } from '../ledger/machine-key.ts';
import type { Settings } from '../places/settings.ts';

const SEAL = 32;

type Field = readonly [key: string, value: FieldValue, line: number];
type Found = readonly [Finding['class'], string, Finding['severity'], string, number, string, Span | null];
type Kept = readonly [
  bodyOffset: number,
  bodyLine: number,
  bom: boolean,
  fields: readonly Field[],
  remarks: readonly Remark[],
  digest: string,
  saying: string,
  findings: readonly Found[],
];

/**
 * What was read in a file, kept beside its row in the index so that parsing and checking it again can be spared. It is good
 * for exactly these bytes under exactly these rules, and sealed with a secret of this machine's: whoever writes into the
 * cache folder can make it be read anew and nothing else. No standing is in it; that is computed whenever it is asked for.
 */
export class Readings {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(key: MachineKey, rules: string, { owner, injection }: Pick<Settings, 'owner' | 'injection'>) {
    // Everything besides the bytes that decides what is read in them.
    const secret = key.secretFor(JSON.stringify(['surety-reading-3', VERSION, rules, owner, injection]));
    this.#inner = padded(secret, 0x36);
    this.#outer = padded(secret, 0x5c);
  }

  /** Null for what is read anew each time: what is not served, may hold a secret, or could not be checked in full. */
  seal(stem: string, bytes: Buffer, { subject, digest, saying, inspection }: Interpreted): Buffer | null {
    const { document } = subject;
    const { findings, crashed, blocked } = inspection;
    if (document === undefined || digest === null || saying === null || blocked || crashed.length > 0) return null;
    if (document.notes.includes('crlf') || findings.some((finding) => finding.class === 'secret')) return null;
    const kept: Kept = [
      bytes.length - Buffer.byteLength(document.body),
      document.bodyLine,
      document.notes.includes('bom'),
      [...document.fields].map(([key, value]) => [key, value, document.lines.get(key) ?? 1]),
      document.remarks,
      digest,
      saying,
      findings.map((f) => [f.class, f.rule, f.severity, f.field, f.line, f.message, f.span ?? null]),
    ];
    const payload = Buffer.from(JSON.stringify(kept));
    return Buffer.concat([this.#sealOf(stem, bytes, payload), payload]);
  }

  /** What was sealed for exactly this file; undefined for anything else. */
  open(stem: string, bytes: Buffer, sealed: Buffer): Interpreted | undefined {
    const payload = sealed.subarray(SEAL);
    if (sealed.length <= SEAL || !timingSafeEqual(sealed.subarray(0, SEAL), this.#sealOf(stem, bytes, payload))) {
      return undefined;
    }
    const [offset, bodyLine, bom, kept, remarks, digest, saying, found] = JSON.parse(payload.toString('utf8')) as Kept;
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
    const findings = found.map(
      ([of, rule, severity, field, line, message, span]): Finding => ({
        class: of,
        rule,
        severity,
        field,
        line,
        ...(span && { span }),
        message,
      }),
    );
    return {
      subject: subjectOf(stem, { kind: 'document', document }, 'found', bytes),
      digest,
      saying,
      inspection: { findings, crashed: [], blocked: false },
    };
  }

  /** HMAC-SHA256 in two plain hashes: an object for each of them would cost more than the hashing. */
  #sealOf(stem: string, bytes: Buffer, payload: Buffer): Buffer {
    const about = Buffer.from(`${JSON.stringify([stem, bytes.length, payload.length])}\n`);
    const inner = hash('sha256', Buffer.concat([this.#inner, about, bytes, payload]), 'buffer');
    return hash('sha256', Buffer.concat([this.#outer, inner]), 'buffer');
  }
}

/** A secret as HMAC takes it in before anything else. */
function padded(secret: Buffer, byte: number): Buffer {
  const block = Buffer.alloc(64, byte);
  for (const [at, value] of secret.entries()) block[at] = value ^ byte;
  return block;
}
