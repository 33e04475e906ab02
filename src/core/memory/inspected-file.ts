import { parseDate, parseTimestamp } from '../trust/clocks.ts';
import { TIERS } from '../trust/tiers.ts';
import { anchorsOf, type Document, LIMITS_OF_A_FILE, listOf, type Reading, textOf } from './document.ts';
import { idOfStem, type MemoryId } from './ids.ts';
import { TYPES } from './limits.ts';
import { type Claims, type Memory, memoryOf } from './memory.ts';

/** One memory as the checks see it, with whatever could be parsed. */
export interface InspectedFile {
  /** The sender of a proposal can still correct it. A found file is a person's work and is judged more mildly. */
  readonly origin: 'proposal' | 'found';
  readonly stem: string;
  readonly id: MemoryId | undefined;
  readonly reading: Reading;
  readonly document: Document | undefined;
  readonly memory: Memory | undefined;
  readonly claims: Claims;
  /** The text of a file that could not be parsed, as far as it can be decoded: it may still hold a secret. */
  readonly raw?: string;
}

/**
 * Parses what can be parsed of a file. A file without a memory is still a subject, so that the checks can report what
 * is wrong.
 */
export function subjectOf(
  stem: string,
  reading: Reading,
  origin: InspectedFile['origin'],
  bytes?: Uint8Array,
): InspectedFile {
  const document = reading.kind === 'document' ? reading.document : undefined;
  const id = idOfStem(stem);
  return {
    origin,
    stem,
    id,
    reading,
    document,
    memory: document && id ? memoryIn(document, id) : undefined,
    ...(document === undefined && bytes !== undefined ? { raw: rawText(bytes) } : {}),
    claims: document ? claimsIn(document) : { tier: undefined, quarantinedAt: undefined, lastVerified: undefined },
  };
}

/** UTF-16 is recognized by its byte order mark. In any other encoding a token is readable as UTF-8. */
function rawText(bytes: Uint8Array): string {
  const start = bytes.subarray(0, LIMITS_OF_A_FILE.bytes);
  const wide = start[0] === 0xff && start[1] === 0xfe;
  return Buffer.from(start).toString(wide ? 'utf16le' : 'utf8');
}

function memoryIn(document: Document, id: MemoryId): Memory | undefined {
  const field = (key: string) => textOf(document.fields.get(key));
  const type = TYPES.find((t) => t === field('type'));
  const name = field('name');
  const description = field('description');
  const anchors = anchorsOf(document.fields.get('anchors'));
  // A person must know exactly what they vouch for, so a file with malformed anchors holds no memory.
  if (type === undefined || name === undefined || description === undefined || anchors === undefined) return undefined;
  return memoryOf({
    id,
    type,
    name,
    description,
    tags: listOf(document.fields.get('tags')),
    project: field('project') ?? null,
    anchors,
    body: document.body,
  });
}

function claimsIn(document: Document): Claims {
  const field = (key: string) => textOf(document.fields.get(key)) ?? '';
  return {
    tier: TIERS.find((tier) => tier === field('trust-level')),
    quarantinedAt: parseTimestamp(field('quarantined-at')),
    lastVerified: parseDate(field('last-verified')),
  };
}
