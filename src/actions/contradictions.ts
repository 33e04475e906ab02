import { type Contradiction, contradictionBetween, Understood } from '../core/contradictions/compare.ts';
import type { Memory } from '../core/memory/memory.ts';
import { projectIn } from '../core/memory/project.ts';
import { once } from '../core/once.ts';
import { fieldsOf } from '../core/search/term-vector.ts';
import { sanitize } from '../core/text/safe-text.ts';
import type { Loaded, Vault } from '../store/vault/vault.ts';
import { afterChange } from './after-change.ts';
import { isServed } from './near-duplicates.ts';
import { withPauses } from './with-pauses.ts';

interface WithVault {
  readonly vault: Vault;
}

interface Contradicting {
  readonly loaded: Loaded;
  readonly why: Contradiction;
}

/**
 * Served memories that share rare words with this one and cannot hold together with it, as far as the words show. More are looked
 * through where a person is asked.
 */
export function contradictionsOf(
  vault: Vault,
  { id, shown }: Pick<Loaded, 'id' | 'shown'>,
  isAsked = false,
): Contradicting[] {
  if (shown === undefined) return [];
  // Most new texts share rare words with no other.
  const text = once(() => understood(shown));
  return [...vault.withRareWords(id, fieldsOf(shown), isAsked)].flatMap((loaded) => {
    const other = isServed(loaded) && loaded.shown !== undefined ? understood(loaded.shown) : undefined;
    const why = other && contradictionBetween(text(), other);
    return why === undefined ? [] : [{ loaded, why }];
  });
}

/**
 * Compares a memory that is new, or newly verified, with those near it. An inferred one that contradicts a verified one waits for a
 * person from then on; nothing else changes. `before` is the memory as it was before a yes verified it: that text was inferred, so
 * what it contradicts besides what was shown is asked about, whether or not the list knew it.
 */
export async function noteContradictions(
  session: WithVault,
  loaded: Loaded,
  before?: Loaded,
): Promise<Contradicting[]> {
  const { vault } = session;
  const found: Contradicting[] = [];
  // The memory is stored, and the next comparison finds them again.
  await afterChange(session, `What ${loaded.id} contradicts could not be written down`, async () => {
    const wasInferred = before?.standing.tier === 'inferred' && before.digest === loaded.digest;
    found.push(...contradictionsOf(vault, loaded, wasInferred));
    const isOpen = (newer: Loaded, verified: Loaded) =>
      newer.standing.tier === 'inferred' || wasInferred || vault.conflicts.isRival(newer.id, verified.id);
    const pairs = found.flatMap(({ loaded: other }) => conflictBetween(loaded, other, isOpen));
    if (pairs.length > 0) await vault.exclusively(() => vault.conflicts.add(pairs));
  });
  return found;
}

/** At most 5 seconds, because a command waits for it. */
const COMPARING_MS = 5_000;

/**
 * Compares texts that came as files, by an editor, a git pull or a sync. Nobody proposed them, and writing a file must be no way
 * around the comparison.
 */
export async function compareFound(session: WithVault, ids: readonly string[]): Promise<void> {
  const { vault } = session;
  // Most stores that are looked at for the first time have no verified memory yet.
  if (ids.length === 0 || vault.evidence.everVerified().next().done) return;
  const until = performance.now() + COMPARING_MS;
  for await (const [at, id] of withPauses(ids.entries())) {
    if (performance.now() > until) {
      const many = `${ids.length - at} new memories were not compared with those you vouched for`;
      vault.complain(`surety: ${many}; surety audit names what contradicts what.`);
      return;
    }
    const loaded = vault.load(id);
    // A verified one too: what it contradicts may have been here before it.
    if (loaded !== undefined && loaded.standing.tier !== 'quarantined') await noteContradictions(session, loaded);
  }
}

/**
 * One of two memories must be verified: between two inferred ones nothing is decided yet. Two verified ones are a person's
 * words, and in conflict only where the one was before and was verified in other words.
 */
function conflictBetween(one: Loaded, other: Loaded, isOpen: (newer: Loaded, verified: Loaded) => boolean) {
  const [newer, verified] = other.standing.tier === 'inferred' ? [other, one] : [one, other];
  if (!isOpen(newer, verified) || verified.standing.tier !== 'verified' || newer.standing.tier === 'quarantined')
    return [];
  if (newer.digest === null || verified.digest === null) return [];
  return [{ id: newer.id, digest: newer.digest, with: verified.id, withDigest: verified.digest }];
}

function understood({ name, description, project, body }: Memory): Understood {
  return new Understood({
    project: projectIn({ project }),
    name: sanitize(name, 'line').toString(),
    description: sanitize(description, 'line').toString(),
    body: sanitize(body, 'body').toString(),
  });
}
