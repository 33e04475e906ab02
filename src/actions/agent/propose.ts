import { hiddenIn } from '../../core/checks/hidden-text.ts';
import { parseId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { dropPrivate } from '../../core/text/private-passages.ts';
import { reviewCommand } from '../../core/trust/review-command.ts';
import { auditInput } from '../../store/records/audit-input.ts';
import type { Client } from '../../store/records/audit-log.ts';
import type { Creation, NewMemory } from '../../store/vault/vault.ts';
import { noteContradictions } from '../contradictions.ts';
import { nearDuplicatesOf } from '../near-duplicates.ts';
import type { Session } from '../session.ts';

export interface Proposed extends Creation {
  /** Ids of similar memories, for the agent to look at. Nothing is merged. */
  readonly similar: readonly string[];
  /** Ids of memories that it cannot hold together with, as far as the words show. */
  readonly conflicts: readonly string[];
  /** What was removed from the text before it was stored, in Surety's own sentences. */
  readonly leftOut: readonly string[];
}

/** What each session was given by propose_memory, texts that were here already included. */
const given = new WeakMap<Session, Set<string>>();

/** Refuses a memory that nobody proposed in this session: whether a person said it is asked about what was just said. */
export function refuseUnproposed(session: Session, id: string): void {
  if (given.get(session)?.has(id)) return;
  throw new Refusal(
    'not-allowed',
    `This memory was not proposed in this session. If the person has just said it, propose it in their words first; else they can adopt it themselves in ${reviewCommand(session.vault.settings)}, with the key a. Nothing was changed.`,
  );
}

/** Stores an agent's proposal as inferred, or refuses it. The audit log records both. */
export async function propose(
  session: Session,
  newMemory: Omit<NewMemory, 'id'>,
  client: Client | undefined,
): Promise<Proposed> {
  const { vault, audit } = session;
  const input = inputOf(newMemory);
  const attempt = { channel: 'mcp', client, action: 'propose_memory', input } as const;
  let counted = false;
  try {
    refuseFlood(session);
    // Counted before the first await, because parallel calls would otherwise all pass the limit.
    session.proposals += 1;
    counted = true;
    if (newMemory.replaces !== undefined && vault.load(newMemory.replaces) === undefined) {
      throw new Refusal(
        'invalid-input',
        'replaces: no memory has this id. Search for the right one, or leave it out, and call again.',
      );
    }
    const by = { actor: 'agent', client: client ? `${client.name} ${client.version}` : null } as const;
    const created = await vault.create('propose', newMemory, by);
    given.set(session, (given.get(session) ?? new Set()).add(created.loaded.id));
    const wrote = created.kind === 'created' || created.hints.added > 0;
    if (!wrote) session.proposals -= 1;
    const outcome = wrote ? 'accepted' : 'unchanged';
    audit.record({ ...attempt, id: created.loaded.id, outcome, digest: created.loaded.digest });
    const contradicted = created.kind === 'existing' ? [] : await noteContradictions(session, created.loaded);
    return {
      ...created,
      similar: similarTo(session, created),
      conflicts: contradicted.map(({ loaded }) => loaded.id),
      leftOut: [...leftOutOf(newMemory), ...droppedHints(created)],
    };
  } catch (error) {
    if (counted) session.proposals -= 1;
    // The text is not recorded; its keyed hash shows whether it was tried again.
    const fingerprint = audit.fingerprint(newMemory.body);
    audit.recordFailure({ ...attempt, fingerprint }, error);
    throw error;
  }
}

/** A text in the place of an id may be a secret, so only an id is recorded. A type is one of four words and needs no masking. */
function inputOf({ type, project, replaces, tags }: Omit<NewMemory, 'id'>) {
  return { type, ...auditInput({ project, replaces: parseId(replaces ?? ''), tags }) };
}

/** Says what was removed, because an unclosed private element removes everything after it. */
function leftOutOf({ name, description, body, tags = [], askedAs = [] }: Omit<NewMemory, 'id'>): string[] {
  const fields = { name, description, body, tags: tags.join('\n'), 'asked-as': askedAs.join('\n') };
  const kept = Object.entries(fields).map(([field, raw]) => ({ field, ...dropPrivate(raw) }));
  const privates = kept.reduce((sum, { dropped }) => sum + dropped, 0);
  const hidden = kept.flatMap(({ field, text }) => [...hiddenIn({ field, line: 1, raw: text })]);
  return [
    ...(privates === 0 ? [] : [`${privates} private ${privates === 1 ? 'passage was' : 'passages were'} left out.`]),
    ...new Set(hidden.map((finding) => finding.message)),
  ];
}

function droppedHints({ hints: { dropped } }: Creation): string[] {
  if (dropped === 0) return [];
  return [`${dropped} of asked_as ${dropped === 1 ? 'was' : 'were'} left out, because a check found something in it.`];
}

function refuseFlood({ vault, proposals }: Session): void {
  const budget = vault.settings.proposalsPerSession;
  if (proposals < budget) return;
  throw new Refusal('budget-spent', `This session has made its ${budget} proposals; nothing more is taken from it.`);
}

function similarTo({ vault }: Session, { loaded, kind }: Creation): string[] {
  return kind === 'existing' ? [] : nearDuplicatesOf(vault, loaded).map(({ id }) => id);
}
