import { onScreen, rewordingOnScreen, shownFor, shownForBoth } from '../src/actions/review/shown.ts';
import { type Channel, type UserConsent, witnessed } from '../src/core/trust/consent.ts';
import type { Verb } from '../src/core/trust/tiers.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import type { Loaded } from '../src/store/vault/loaded-memory.ts';
import { cleaned, makeFile, type NewMemory } from '../src/store/vault/new-memory.ts';
import type { Decided, Decision, Vault } from '../src/store/vault/vault.ts';

// A day to begin at, a memory to work with, and a person's yes: for tests and for the programs that tests start.

export const DAY = 86_400_000;
export const START = Date.parse('2026-03-01T12:00:00Z');
export const AGENT = { actor: 'agent', client: 'test-client 1.0' } as const;

/** A memory's text; the body is long enough, and different for every `about`. */
export function newMemory(about: string, changes: Partial<NewMemory> = {}): NewMemory {
  return {
    type: 'user',
    name: about,
    description: `What is known about ${about}`,
    body: `The operator said this about ${about}: two cores are enough.`,
    ...changes,
  };
}

/**
 * A yes for exactly what is there now, as a person at `channel` gives it. It is made for a file without a memory too, which no
 * witness would do: the vault has to refuse it by itself.
 */
export function yes(verb: Decision, seen: Loaded, channel: Channel = 'page'): UserConsent {
  return witnessed(channel, { ...shownFor('demote', onScreen(seen, { vouching: true })), verb });
}

export async function propose(vault: Vault, about: string, changes: Partial<NewMemory> = {}): Promise<string> {
  return (await vault.create('propose', newMemory(about, changes), AGENT)).loaded.id;
}

/** Written down by a person in their own words. Suspicious findings are not settled by it. */
export async function add(
  vault: Vault,
  about: string,
  changes: Partial<NewMemory> = {},
  verb: Verb = 'add',
): Promise<string> {
  const asked = newMemory(about, changes);
  const id = asked.id ?? vault.freeId(asked.type, asked.name);
  const digest = digestOfBirth(vault, { ...asked, id });
  const consent = witnessed('page', { verb, id, digest, standing: 'new', settles: [] });
  await vault.create(verb, { ...asked, id }, consent);
  return id;
}

export function digestOfBirth(vault: Vault, asked: NewMemory): string {
  if (asked.id === undefined) throw new Error('an id is needed');
  return makeFile(cleaned(asked), asked.id, 'verified', vault.now(), 'here', insideOf(vault).checks()).digest;
}

/** A yes for other words than a memory has, as a person gives it who was shown both. */
export function yesToRewording(vault: Vault, seen: Loaded, wording: NewMemory): UserConsent {
  return witnessed('page', shownFor('adopt', rewordingOnScreen(seen, vault.draftRewording(seen, wording))));
}

/** One memory takes the place of another, as a person says it who was shown both. */
export function takePlace(vault: Vault, seen: Loaded, rival: Loaded): Promise<unknown> {
  const shown = shownForBoth('promote', onScreen(seen, { vouching: true }), onScreen(rival, { vouching: false }));
  const yes = { consent: witnessed('page', shown.new), toRival: witnessed('page', shown.old) };
  return vault.takePlace('promote', seen, rival, yes);
}

/** Taken as a person's own words, which they changed first. */
export async function reword(vault: Vault, id: string, about: string): Promise<Decided> {
  const seen = vault.load(id);
  if (seen === undefined) throw new Error(`no memory ${id}`);
  const wording = newMemory(about);
  return vault.adopt(seen, wording, yesToRewording(vault, seen, wording));
}
