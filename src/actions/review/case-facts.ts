import { notLookedFor } from '../../core/checks/personal.ts';
import type { Statement } from '../../core/ledger/statement.ts';
import { anchorSentence } from '../../core/memory/anchors.ts';
import { type Document, listOf, textOf } from '../../core/memory/document.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { type SafeText, sanitize, text, visible } from '../../core/text/safe-text.ts';
import { dateOf, observationEnds } from '../../core/trust/clocks.ts';
import { passkeysNow } from '../../store/maintenance/passkeys.ts';
import { looserThanDefaults } from '../../store/places/settings.ts';
import type { Request } from '../../store/records/request-queue.ts';
import type { Loaded, Vault } from '../../store/vault/vault.ts';
import { ANCHOR_MS, anchorLook, lostMentions } from '../anchors.ts';
import { contradictionsOf } from '../contradictions.ts';
import { DECISIONS } from '../decide.ts';
import { ago, originOf } from '../history.ts';
import { nearDuplicatesOf } from '../near-duplicates.ts';
import type { Session } from '../session.ts';
import type { Dictation } from './dictation.ts';
import { whyNoYesCounts } from './first-passkey.ts';
import type { Case } from './review.ts';

/**
 * A fact about a memory: in our words, in quoted words of others, or as a reference to another memory. Labels are in
 * lower case and have at most 11 characters, because they must fit in the terminal's margin.
 */
export type Fact = { readonly label: string } & (
  | { readonly ours: string }
  | { readonly quoted: SafeText }
  | { readonly other: Loaded }
);

function conflictWith({ id }: Loaded): Fact {
  return {
    label: 'conflict',
    ours: `with ${id}, which is verified: they cannot both hold, as far as the words show`,
  };
}

/** Names the verified memories that a text contradicts, for a question whose yes decides about that text alone. */
export function conflictFacts({ vault }: Session, about: Pick<Loaded, 'id' | 'shown'>): Fact[] {
  const verified = contradictionsOf(vault, about, true).filter(({ loaded }) => loaded.standing.tier === 'verified');
  return verified.map(({ loaded }) => conflictWith(loaded));
}

/** Every fact about a case besides its text, standing and findings. */
export function caseFacts(session: Session, open: Case): Fact[] {
  const { category, loaded, request, wasGiven, dictation, correctedBy, corrects, rival } = open;
  const { firstSeen } = loaded;
  const { observationDays } = session.vault.settings;
  return [
    ...dictationFacts(dictation),
    ...memoryFacts(session, loaded, request, wasGiven ? GIVEN : undefined),
    ...(category === 'new' && firstSeen !== undefined
      ? [{ label: 'observation', ours: `until ${dateOf(observationEnds(firstSeen, observationDays))}` }]
      : []),
    ...(category === 'missing' ? [{ label: 'text from', ours: whereFrom(session, loaded) }] : []),
    ...(category === 'displaced'
      ? [{ label: 'displaced', ours: 'a person vouched for exactly this text, and another text has its place' }]
      : []),
    ...(correctedBy ? [{ label: 'corrected', ours: `by ${correctedBy}, which you vouched for` }] : []),
    ...(rival ? [conflictWith(rival)] : []),
    ...(corrects
      ? [
          {
            label: rival === undefined ? 'corrects' : 'next',
            ours: `${corrects.id}, ${corrects.standing.tier}; it is asked about after this`,
          },
        ]
      : []),
    ...whyNotNow(session, open),
  ];
}

/** An agent with a shell can type as well, and surety add takes a file, so the sentence does not say who wrote it. */
const GIVEN = 'given at a terminal just now, to surety remember or surety add; if that was not you, say no';

/** Why there is no yes. Passkeys that do not count are the reason also while a memory is in observation. */
function whyNotNow({ vault }: Session, { category, verb, inVain }: Case): Fact[] {
  const why = verb !== 'demote' && category !== 'displaced' ? whyNoYesCounts(vault) : undefined;
  if (why !== undefined) return [{ label: 'not now', ours: why }];
  if (inVain === undefined || category === 'new') return [];
  return [{ label: 'not now', ours: `it cannot be ${DECISIONS[verb].done}: ${inVain.message}` }];
}

/** Where the text of a missing memory would come from. */
function whereFrom({ vault }: Session, { id }: Loaded): string {
  const from = vault.missing.textFrom(id);
  if (from === undefined)
    return 'nowhere: neither this machine nor the store’s git history has it; take its file from a backup';
  return from === 'copy' ? 'this machine’s copy of it' : 'the store’s git history';
}

/** Whose words an agent's proposal has. Its name and description are always the agent's. */
export function dictationFacts(dictation: Dictation | undefined): Fact[] {
  if (dictation === undefined) return [];
  const { prompted, says } = dictation;
  return [{ label: 'wording', ours: prompted === undefined ? says : `${says}; name and description are the agent’s` }];
}

/** What was verified before a passkey was required stays verified, and the person should see which that is. */
function beforeRequired({ vault }: Session, { standing }: Loaded): string {
  if (standing.tier !== 'verified' || standing.receipt.level >= 4 || !passkeysNow(vault).isRequired) return '';
  return ', before a passkey was required';
}

/** Where a memory is from, how old it is, who wants it decided, what is near it, and under which settings. Dates are the ledger's. */
export function memoryFacts(session: Session, loaded: Loaded, request?: Request, cameFrom?: string): Fact[] {
  const { id, standing, firstSeen, declinedAt, subject } = loaded;
  const origin = originOf(session, id);
  const when = (at: number) => ago(session, at);
  const reason = textOf(subject.document?.fields.get('quarantine-reason'));
  return [
    { label: 'origin', ours: cameFrom ?? origin?.how ?? 'found in the folder; no ledger knows it yet' },
    ...(firstSeen !== undefined && firstSeen !== origin?.at
      ? [{ label: 'this text', ours: `first seen ${when(firstSeen)}` }]
      : []),
    ...(declinedAt === undefined ? [] : [{ label: 'declined', ours: `you said no to this text ${when(declinedAt)}` }]),
    ...('receipt' in standing
      ? [{ label: 'vouched for', ours: `${when(standing.receipt.at)}${beforeRequired(session, loaded)}` }]
      : []),
    ...('decision' in standing
      ? [{ label: 'quarantined', ours: `by ${who(standing.decision)} ${when(standing.decision.at)}` }]
      : []),
    ...(reason === undefined || standing.tier !== 'quarantined'
      ? []
      : [{ label: 'file says', quoted: visible(reason, 'line') }]),
    ...(request === undefined ? [] : requestFacts(session, request, loaded)),
    ...anchorFacts(session, loaded),
    ...hintFacts(subject.document),
    ...nearDuplicatesOf(session.vault, loaded).map((other) => ({ label: 'near it', other })),
    ...settingsFacts(session),
  ];
}

/** What has become of the places it rests on, where this session works in its project. */
function anchorFacts({ checkout }: Session, { shown }: Loaded): Fact[] {
  if (shown === undefined) return [];
  const mentioned = lostMentions(checkout, shown, ANCHOR_MS.person).map((name) => ({
    label: 'mentions',
    quoted: text`${visible(name, 'line')}: the repository does not have it`,
  }));
  const anchored = anchorLook(
    checkout,
    ANCHOR_MS.person,
  )(shown).map((anchor) => ({
    label: 'anchor',
    quoted: text`${visible(anchor.path, 'line')}: ${sanitize(anchorSentence(anchor), 'line')}`,
  }));
  return [...anchored, ...mentioned];
}

/** The hints for finding it, which no yes covers. A person sees them as they are stored, with a possible secret hidden. */
export function hintFacts(document: Document | undefined): Fact[] {
  const stored = listOf(document?.fields.get('asked-as')) ?? [];
  return stored.map((hint) => ({ label: 'asked as', quoted: visible(maskSecrets(hint), 'line') }));
}

/** Stores for which a person was shown already what no check looks for. */
const saidOf = new WeakSet<Vault>();

/** Settings that protect less than the defaults, because an agent could have edited them. Once a store: what no check looks for. */
export function settingsFacts({ vault }: Session): Fact[] {
  const settings = vault.settings;
  const unlooked = saidOf.has(vault) ? [] : notLookedFor(settings.owner);
  saidOf.add(vault);
  return [
    ...looserThanDefaults(settings).map((ours) => ({ label: 'settings', ours })),
    ...unlooked.map((ours) => ({ label: 'not checked', ours })),
  ];
}

/** The client chose its name and the agent its reason, so both are quoted. */
function requestFacts(session: Session, request: Request, { digest }: Loaded): Fact[] {
  const { verb, askedAt, client, reason } = request;
  const name = visible(client.name, 'line');
  return [
    { label: 'request', ours: `an agent asks to ${verb} it, ${ago(session, Date.parse(askedAt))}` },
    { label: 'client', quoted: text`${name} ${visible(client.version, 'line')}` },
    ...(reason === undefined ? [] : [{ label: 'it says', quoted: visible(reason, 'line') }]),
    ...(request.digest === digest ? [] : [{ label: 'note', ours: 'the text has changed since the agent asked' }]),
  ];
}

function who({ actor }: Statement): string {
  return actor === 'operator' ? 'a person' : 'a check';
}
