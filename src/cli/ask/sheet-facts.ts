import { ago, originOf } from '../../actions/history.ts';
import { alikeTo } from '../../actions/near-duplicates.ts';
import type { Session } from '../../actions/session.ts';
import { notLookedFor } from '../../core/checks/personal.ts';
import type { Statement } from '../../core/ledger/statement.ts';
import { textOf } from '../../core/memory/document.ts';
import { text, visible } from '../../core/text/safe-text.ts';
import { looserThanDefaults } from '../../store/places/settings.ts';
import type { Request } from '../../store/records/request-queue.ts';
import type { Loaded } from '../../store/vault/loaded-memory.ts';
import type { Fact } from './sheet.ts';

/** Where a memory is from, how old it is, who wants it decided, and under which settings. Dates are the ledger's. */
export function factsOf(session: Session, loaded: Loaded, request: Request | undefined): Fact[] {
  const { id, standing, firstSeen, subject } = loaded;
  const origin = originOf(session, id);
  const when = (at: number) => ago(session, at);
  const reason = textOf(subject.document?.fields.get('quarantine-reason'));
  return [
    {
      label: 'origin',
      ours: origin ? `${origin.how} ${when(origin.at)}` : 'found in the folder; no ledger knows it yet',
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
    ...alikeTo(session.vault, loaded).flatMap(alikeFacts),
    ...loosened(session),
  ];
}

/** Another memory that is about the same: our words for which it is, its own for what it says. */
function alikeFacts({ id, standing, shown }: Loaded): Fact[] {
  const known = { label: 'near it', ours: `${id}, ${standing.tier}` };
  return shown === undefined ? [known] : [known, { label: '', quoted: visible(shown.description, 'line') }];
}

/** Settings that protect less than Surety does by itself, which an agent could have edited, and what none was made for. */
export function loosened({ vault }: Session): Fact[] {
  const settings = vault.parts.settings();
  return [
    ...looserThanDefaults(settings).map((ours) => ({ label: 'settings', ours })),
    ...notLookedFor(settings.owner).map((ours, i) => ({ label: i === 0 ? 'not checked' : '', ours })),
  ];
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

function who({ actor }: Statement): string {
  return actor === 'operator' ? 'a person' : 'a check';
}
