import type { Session } from '../actions/session.ts';
import { dateOf, wholeDays } from '../core/clocks.ts';
import type { Statement } from '../core/replay.ts';
import { textOf } from '../core/subject.ts';
import { text, visible } from '../core/text.ts';
import type { Loaded } from '../store/loaded.ts';
import type { Request } from '../store/requests.ts';
import { looserThanDefaults } from '../store/settings.ts';
import type { Fact } from './exhibit.ts';

const ORIGINS: Readonly<Record<string, string>> = {
  propose: 'proposed by an agent',
  import: 'imported',
  backfill: 'imported',
  add: 'written by a person',
  adopt: 'adopted by a person',
  rewrite: 'rewritten by a person',
  seen: 'found in the folder',
};

/** Where a memory is from, how old it is, who wants it decided, and under which settings. Dates are the ledger's. */
export function factsOf(session: Session, loaded: Loaded, request: Request | undefined): Fact[] {
  const { id, standing, firstSeen, subject } = loaded;
  const origin = first(session.vault.evidence.of(id));
  const when = (at: number) => ago(session, at);
  const reason = textOf(subject.document?.fields.get('quarantine-reason'));
  return [
    {
      label: 'origin',
      ours: origin ? `${whence(session, origin)} ${when(origin.at)}` : 'found in the folder; no ledger knows it yet',
    },
    ...(firstSeen !== undefined && firstSeen !== origin?.at
      ? [{ label: 'this text', ours: `first seen ${when(firstSeen)}` }]
      : []),
    ...('receipt' in standing ? [{ label: 'vouched for', ours: when(standing.receipt.at) }] : []),
    ...('decision' in standing
      ? [{ label: 'quarantined', ours: `by ${who(standing.decision)} ${when(standing.decision.at)}` }]
      : []),
    ...(reason === undefined || standing.tier !== 'quarantined'
      ? []
      : [{ label: 'file says', quoted: visible(reason, 'line') }]),
    ...(request === undefined ? [] : requestFacts(session, request, loaded)),
    ...loosened(session),
  ];
}

/** Settings that protect less than Surety does by itself; an agent could have edited them. */
export function loosened({ vault }: Session): Fact[] {
  return looserThanDefaults(vault.parts.settings()).map((ours) => ({ label: 'settings', ours }));
}

/** The client's name and the agent's reason are their words, not ours. */
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

function first(statements: readonly Statement[]): Statement | undefined {
  return statements.toSorted((a, b) => a.at - b.at)[0];
}

function whence({ vault }: Session, { action, ledger }: Statement): string {
  const how = ORIGINS[action] ?? 'first recorded';
  if (ledger.fingerprint === vault.parts.key.fingerprint) return how;
  return `${how} on another machine (ledger ${ledger.fingerprint.slice(0, 8)})`;
}

function who({ actor }: Statement): string {
  return actor === 'operator' ? 'a person' : 'a check';
}

function ago({ vault }: Session, at: number): string {
  const days = wholeDays(at, vault.parts.now());
  const how = days < 0 ? 'in the future' : days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`;
  return `on ${dateOf(at)}, ${how}`;
}
