import { holdsCertainSecret, openSecrets } from '../../core/checks/inspect.ts';
import {
  BY_RECONCILE,
  type By,
  type EntryDraft,
  inEntries,
  MANY,
  type RecordKind,
  type SeenText,
} from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import { LIMITS } from '../../core/memory/limits.ts';
import type { Assertion } from '../../core/passkeys/assertion.ts';
import { Refusal } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { dropPrivate } from '../../core/text/private-passages.ts';
import { shortLine } from '../../core/text/short-line.ts';
import { dateOf, timestamp } from '../../core/trust/clocks.ts';
import { UserConsent, type UserNo } from '../../core/trust/consent.ts';
import type { OwnedKey, Transition, Verb } from '../../core/trust/tiers.ts';
import { rewrite } from '../format/format.ts';
import { refuseUnsigned } from '../ledger/passkey-entries.ts';
import { type Settings, trustSettings } from '../places/settings.ts';
import type { Loaded } from './loaded-memory.ts';
import type { VaultParts } from './vault-parts.ts';

/** The maker of a memory that needs no person's yes. */
export interface Writer {
  readonly actor: 'agent' | 'import';
  /** The MCP client's name and version, as the client gave them. */
  readonly client: string | null;
}

/** The `by` of an entry. A consent itself proves who was asked, and how. */
export function byOf(by: Writer | UserConsent): By {
  const client = clientLine(by);
  if (UserConsent.isGenuine(by)) return { actor: 'operator', channel: by.channel, level: by.level, client };
  return { actor: by.actor, channel: by.actor === 'agent' ? 'tool' : 'command', level: 0, client };
}

function clientLine({ client }: { readonly client: string | null }): string | null {
  return client === null ? null : shortLine(client, 100);
}

/** The rules and settings in force when an entry is made. */
interface InForce {
  readonly settings: () => Settings;
  readonly rules: string;
}

/** What a decision is about. */
interface Recorded extends Pick<Loaded, 'digest' | 'saying' | 'inspection'> {
  readonly id: string;
  readonly settled: readonly string[];
  readonly replaces: string | null;
  /** When these words came through the person's prompt, as they were shown it. */
  readonly prompted?: string | undefined;
  /** The digest before, where a person reworded the text. */
  readonly was?: string;
  /** What the person's passkey signed. */
  readonly assertion?: Assertion | undefined;
}

/** A decision on a memory, with who made it and why. */
export interface Judged {
  readonly row: Transition;
  readonly about: Recorded;
  readonly by: By;
  readonly reason: string | null;
}

type Recording = InForce & Pick<VaultParts, 'ledgers' | 'now' | 'key'>;

/** Writes a decision into the ledger. It follows every decision on the memory that is known here. */
export function record(parts: Recording, row: Transition, about: Recorded, by: By, reason: string | null): void {
  recordAll(parts, [{ row, about, by, reason }]);
}

/** Like `record` for several decisions, all or none of them. */
export function recordAll(parts: Recording, decisions: readonly Judged[]): void {
  const { ledgers } = parts;
  const drafts = draftsOf(parts, decisions);
  for (const draft of drafts) refuseUnsigned(ledgers.evidence.passkeys(), draft, ledgers.nextPlace());
  ledgers.append(drafts);
}

/** Like `record` for a lowering that cannot wait for the lock. */
export function recordUnlocked(parts: Recording, lowering: Judged): void {
  parts.ledgers.lowerUnlocked(draftsOf(parts, [lowering]));
}

function draftsOf(parts: Recording, decisions: readonly Judged[]): EntryDraft[] {
  return decisions.map((judged) => {
    const after = parts.ledgers.evidence.heads(judged.about.id).map((head) => head.hash);
    return decisionDraft(parts, judged, after);
  });
}

function decisionDraft(parts: Recording, { row, about, by, reason }: Judged, after: readonly string[]): EntryDraft {
  const { verb, from, to } = row;
  const { id, settled, replaces, prompted, was, assertion } = about;
  const { digest, saying } = to === 'quarantined' ? onRecordLowered(parts, about) : onRecord(about);
  const action = verb as Verb;
  const optional = {
    ...(was !== undefined && { was }),
    ...(prompted !== undefined && { prompted }),
    ...(assertion !== undefined && { assertion }),
  };
  return { ...made(parts), action, id, from, to, digest, saying, by, reason, settled, replaces, after, ...optional };
}

const NO_TEXT = { digest: null, saying: null } as const;

/** How a ledger names a text that a person vouches for. A text that holds a secret leaves not even a hash. */
export function onRecord(text: Pick<Loaded, 'digest' | 'saying' | 'inspection'>): Pick<Loaded, 'digest' | 'saying'> {
  return holdsCertainSecret(text.inspection) ? NO_TEXT : { digest: text.digest, saying: text.saying };
}

/**
 * How a ledger names a text that nobody vouches for. A text that may hold a secret has keyed hashes, because ledgers travel and
 * a plain hash lets anybody try what the secret is.
 */
export function onRecordUnvouched(
  { ledgers, key }: Pick<VaultParts, 'ledgers' | 'key'>,
  text: Pick<Loaded, 'id' | 'digest' | 'saying' | 'inspection'>,
): Pick<Loaded, 'digest' | 'saying'> {
  const { digest, saying } = onRecord(text);
  if (digest === null || saying === null || !mayHoldSecret(ledgers.evidence, text)) return { digest, saying };
  return { digest: key.keyedHash(digest), saying: key.keyedHash(saying) };
}

/**
 * How a decision that lowers names a text. One that may hold a secret has no digest, and a keyed saying, by which this machine
 * knows the text under another name.
 */
function onRecordLowered({ ledgers, key }: Recording, about: Recorded): Pick<Loaded, 'digest' | 'saying'> {
  const { digest, saying } = onRecord(about);
  if (saying === null || !mayHoldSecret(ledgers.evidence, about)) return { digest, saying };
  return { digest: null, saying: key.keyedHash(saying) };
}

/** Whether there is a possible secret in it that no person has accepted for exactly this text. */
function mayHoldSecret(
  evidence: Evidence,
  { id, digest, inspection }: Pick<Loaded, 'digest' | 'inspection'> & { readonly id: string },
): boolean {
  return openSecrets(inspection.findings, evidence.settled(id, digest)).length > 0;
}

const NO_DECISION = { from: null, to: null, settled: [], replaces: null, after: [] } as const;

/** A text that was seen, with the id of its memory. */
export interface SeenOnce extends Pick<Loaded, 'digest' | 'saying'> {
  readonly id: string;
}

/** A record, which decides nothing, such as the first sight of a text. */
export function recordDraft(
  inForce: InForce,
  action: RecordKind,
  { id, digest, saying }: SeenOnce,
  { reason = null, by = BY_RECONCILE }: { readonly reason?: string | null; readonly by?: By } = {},
): EntryDraft {
  return { ...made(inForce), ...NO_DECISION, action, id, digest, saying, by, reason };
}

/** A person's no to a text. */
export function declinedDraft(inForce: InForce, seen: SeenOnce, no: UserNo): EntryDraft {
  const { channel, level } = no;
  const by: By = { actor: 'operator', channel, level, client: clientLine(no) };
  return recordDraft(inForce, 'declined', seen, { by });
}

/** First sights of texts: one entry for many of them, because each machine of a store makes one of every text. */
export function seenDrafts(inForce: InForce, about: readonly SeenOnce[]): EntryDraft[] {
  const texts = about.flatMap(({ id, digest, saying }): SeenText[] =>
    digest === null || saying === null ? [] : [[id, digest, saying]],
  );
  return inEntries(texts).map((list) => {
    const [one] = list;
    if (one !== undefined && list.length === 1)
      return recordDraft(inForce, 'seen', { id: one[0], digest: one[1], saying: one[2] });
    return { ...recordDraft(inForce, 'seen', { id: MANY, digest: null, saying: null }), texts: list };
  });
}

/** A record about a ledger: a machine is trusted or not, or a person accepted the ledger. */
export function ledgerDraft(inForce: InForce, action: RecordKind, fingerprint: string, by: By): EntryDraft {
  return { ...made(inForce), ...NO_DECISION, action, id: fingerprint, digest: null, saying: null, by, reason: null };
}

function made({ settings, rules }: InForce): Pick<EntryDraft, 'settings' | 'rules'> {
  return { settings: trustSettings(settings()), rules };
}

/**
 * Makes a reason safe for frontmatter, ledger, queue and reports: one sanitized line of limited length without secrets,
 * or null.
 */
export function reasonLine(reason: string | undefined): string | null {
  return shortLine(maskSecrets(dropPrivate(reason ?? '').text), LIMITS.reason.max) || null;
}

/** The frontmatter that a transition writes: exactly the keys that its row names. */
export function ownedChanges(
  row: Transition,
  at: number,
  machine: string,
  reason: string | null,
): Map<string, string | null> {
  const values: Record<OwnedKey, string | null> = {
    'trust-level': row.to,
    'created-at': timestamp(at),
    'last-verified': dateOf(at),
    'source-machine': machine,
    'quarantined-at': timestamp(at),
    'quarantine-reason': reason,
    'quarantined-by': machine,
  };
  const changes = new Map<string, string | null>(row.sets.map((key) => [key, values[key]]));
  for (const key of row.removes ?? []) changes.set(key, null);
  return changes;
}

/** The file after a transition to verified, or with other hints. Refused if the file holds no memory, or has no room for the keys. */
export function marked(
  { bytes, digest }: Pick<Loaded, 'bytes' | 'digest'>,
  changes: Parameters<typeof rewrite>[1],
): Buffer {
  if (digest === null) {
    throw new Refusal('unreadable-file', 'There is no memory in this file that could be vouched for.');
  }
  try {
    return rewrite(bytes, changes);
  } catch {
    throw new Refusal(
      'unreadable-file',
      'There is no room in the file’s frontmatter for what has to be noted; shorten it. Nothing was changed.',
    );
  }
}
