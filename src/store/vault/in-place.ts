import type { Memory } from '../../core/memory/memory.ts';
import { likeness } from '../../core/search/rank.ts';
import { type Fields, type TermVector, termVectorOf } from '../../core/search/term-vector.ts';
import { type Placed, verifiedBefore } from '../../core/search/verified-before.ts';
import { sanitize } from '../../core/text/safe-text.ts';
import type { Inside } from './inside-of-vault.ts';
import type { Loaded } from './loaded-memory.ts';

interface Found {
  readonly loaded: Loaded;
  readonly coverage: number;
}

/** What is corrected comes before what corrects it, even if only that one matched: a correction must not hide it. */
export function inPlace(inside: Inside, found: readonly Found[], mayBeServed: (loaded: Loaded) => boolean): Found[] {
  const placed = found.map((each) => placedOf(inside, each));
  const ids = new Set<string>(placed.map(({ id }) => id));
  const hidden = new Set(placed.flatMap(({ corrects: id }) => (id === null || ids.has(id) ? [] : [id])));
  const brought = [...hidden].flatMap((id) => {
    const loaded = inside.files.find(id);
    if (loaded === undefined || loaded.standing.tier !== 'verified' || !mayBeServed(loaded)) return [];
    return [placedOf(inside, { loaded, coverage: 0 })];
  });
  return verifiedBefore([...placed, ...brought], saysNearlyTheSame).map(({ each }) => each);
}

interface PlacedMemory extends Placed {
  readonly each: Found;
  /** Made once, and only where two memories are compared. */
  readonly vector: () => TermVector;
}

function placedOf(inside: Inside, each: Found): PlacedMemory {
  const { id, standing, memory } = each.loaded;
  const isVerified = standing.tier === 'verified';
  let made: TermVector | undefined;
  const vector = () => {
    made ??= termVectorOf(memory === undefined ? { name: '', about: '', body: '' } : fieldsOf(memory)).vector;
    return made;
  };
  return { each, id, isVerified, corrects: isVerified ? null : corrects(inside, id), vector };
}

/** A memory's words, as the index compares them. */
function fieldsOf({ name, description, body }: Memory): Fields {
  return {
    name: sanitize(name, 'line').toString(),
    about: sanitize(description, 'line').toString(),
    body: sanitize(body, 'body').toString(),
  };
}

/** Half of the words of both in common, as for near duplicates elsewhere. */
const NEARLY = 0.5;

function saysNearlyTheSame(one: PlacedMemory, other: PlacedMemory): boolean {
  return likeness(one.vector(), other.vector()) >= NEARLY;
}

/** The memory that a proposal said it corrects. */
function corrects({ ledgers }: Inside, id: string): string | null {
  const born = ledgers.evidence.of(id).find(({ from, replaces }) => from === null && replaces !== null);
  return born?.replaces === id ? null : (born?.replaces ?? null);
}
