import type { Finding } from '../../core/finding.ts';
import { type Standing, standingKey } from '../../core/ledger/standing.ts';
import { digestOf, type Memory } from '../../core/memory/memory.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { Untrusted } from '../../core/text/safe-text.ts';
import type { Matter, Shown } from '../../core/trust/consent.ts';
import { type Erasable, GONE } from '../../store/maintenance/erase.ts';
import type { PlannedChange } from '../../store/maintenance/passkeys.ts';
import type { Drafted, LedgerReport, Loaded } from '../../store/vault/vault.ts';
import { withoutStyle } from './style-findings.ts';

// What a person sees, and what their yes covers. Dialog, page and terminal make a yes from this alone.

/**
 * The memory, or the file if it holds no readable memory. `masked` is shown instead of the memory, with possible
 * secrets hidden.
 */
export type ShownContent =
  | { readonly memory: Memory; readonly masked?: Memory | undefined }
  /** `isNowhere`: there is no file, and no copy of its text is known. */
  | { readonly file: Untrusted; readonly isNowhere?: true };

/** A memory as a person sees it when they answer. */
export interface OnScreen {
  readonly id: string;
  readonly content: ShownContent;
  readonly standing: Standing | 'new';
  readonly findings: readonly Finding[];
  /** When these words came through the person's prompt, where that is on the screen. */
  readonly prompted?: string | undefined;
  /** The digest of the stored text, where other words are on the screen that a person would give it. */
  readonly was?: string | undefined;
}

/** A stored memory on a screen. A possible secret is there only where a person is asked to vouch for the text that holds it. */
export function onScreen(loaded: Loaded, { vouching }: { readonly vouching: boolean }, prompted?: string): OnScreen {
  const { id, standing, inspection, memory, shown, bytes } = loaded;
  const content: ShownContent =
    memory === undefined
      ? { file: Untrusted.of(maskSecrets(bytes.toString('utf8'))) }
      : vouching || shown === memory
        ? { memory }
        : { memory, masked: shown };
  return { id, content, standing, findings: inspection.findings, prompted };
}

/** A new memory as it is shown, exactly as it would be stored. */
export function draftOnScreen({ id, memory, inspection }: Pick<Drafted, 'id' | 'memory' | 'inspection'>): OnScreen {
  return { id, content: { memory }, standing: 'new', findings: inspection.findings };
}

/** A person's own words on a screen, without advice on style. */
export function ownWordsOnScreen(draft: Pick<Drafted, 'id' | 'memory' | 'inspection'>): OnScreen {
  const screen = draftOnScreen(draft);
  return { ...screen, findings: withoutStyle(screen.findings) };
}

/** Other words for a stored memory on a screen, as the person wrote them. */
export function rewordingOnScreen({ standing, digest }: Loaded, draft: Drafted): OnScreen {
  return { ...ownWordsOnScreen(draft), standing, was: digest ?? undefined };
}

/** The memory that a client's dialog may show: no text of a quarantined or changed memory, or with a possible secret, passes through a client. */
export function memoryForDialog({ memory, standing, inspection }: Loaded): Memory | undefined {
  const secret = inspection.findings.some((finding) => finding.class === 'secret');
  return secret || standing.tier === 'quarantined' || standing.reason === 'changed' ? undefined : memory;
}

/** Decisions that do not need the whole text on the screen, because none of them makes a memory count. */
const LOWERING: readonly Matter[] = ['demote', 'archive', 'erase'];

/** What a yes to `verb` covers: this text, in this standing, with the suspicious findings that were on the screen. */
export function shownFor(verb: Matter, { id, content, standing, findings, was, prompted }: OnScreen): Shown {
  const isWhole = 'memory' in content && content.masked === undefined;
  if (!isWhole && !LOWERING.includes(verb))
    throw new TypeError('Nobody can vouch for a text that was not shown whole.');
  const holds = findings.filter(({ severity }) => severity === 'hold').map(({ rule }) => rule);
  return {
    verb,
    id,
    digest: 'memory' in content ? digestOf(content.memory) : null,
    ...(was !== undefined && { was }),
    standing: standing === 'new' ? 'new' : standingKey(standing),
    settles: [...new Set(holds)].sort(),
    prompted,
  };
}

/** What one answer about two memories covers: each text in its standing, and that the second goes because the first counts. */
export function shownForBoth(
  verb: Matter,
  screen: OnScreen,
  rival: OnScreen,
): { readonly new: Shown; readonly old: Shown } {
  return { new: { ...shownFor(verb, screen), replaces: rival.id }, old: shownFor('demote', rival) };
}

/** What a typed id covers: the memory that would be erased, or what is left of one whose file is gone. */
export function shownForErasing({ id, seen }: Erasable): Shown {
  if (seen !== undefined) return shownFor('erase', onScreen(seen, { vouching: false }));
  return { verb: 'erase', id, digest: null, standing: GONE, settles: [] };
}

/** What a yes to the first passkey of a store covers: this key. */
export function shownForPasskey({ change }: PlannedChange): Shown {
  return {
    verb: 'enrol-passkey',
    id: change.credential ?? '',
    digest: change.key ?? null,
    standing: 'new',
    settles: [],
  };
}

/** What a yes about a machine's ledger covers: the ledger up to its last entry, and the state that was shown. */
export function shownForLedger(
  verb: 'trust-machine' | 'accept-ledger' | 'put-back-ledger' | 'confirm-date',
  { fingerprint, head }: Pick<LedgerReport, 'fingerprint' | 'head'>,
  standing: string,
): Shown {
  return { verb, id: fingerprint, digest: head.hash, standing, settles: [] };
}
