import type { Memory } from '../../core/memory/memory.ts';
import { type Facts, frame } from '../../core/present/model-frame.ts';
import { joinText, type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import type { Surveyed, Vault } from '../../store/vault/vault.ts';
import { factsOf } from '../read-memory.ts';
import { served } from '../survey.ts';

export interface Told {
  readonly facts: Facts;
  readonly memory: Memory;
}

/** What a session is given unasked, and how many were left out and why. Of quarantined ones not even the number. */
export interface Brief {
  readonly told: readonly Told[];
  readonly left: { readonly budget: number; readonly otherProjects: number; readonly held: number };
  /** Characters the whole may take. */
  readonly atMost: number;
}

export interface Scope {
  /** The project at work. Where it is not known no project is this one, so all that belong to one are left out. */
  readonly project?: string | undefined;
  /** Characters there is room for, where that is less than the operator's budget. */
  readonly atMost?: number;
  /** What was found for the project already. */
  readonly candidates?: Candidates;
}

/**
 * Files read in vain for one brief: too long for what room is left, or held back. More are not looked at, so that a
 * session begins as soon in a large store as in a small one.
 */
const MOST_IN_VAIN = 40;
/** Several times what can be told and read in vain. */
const MOST_KEPT = 500;

/** A nonce as long as the real one: the frame's own lines count towards the budget too. */
const ANY_NONCE = '0'.repeat(16);
const LONGEST_REMARK = 240;

/**
 * What is loaded without being asked: verified before inferred, this project before what belongs to none, the newest
 * first, as much as fits. One that is too long does not keep shorter ones out. The index says which files to read, and
 * each file what it is.
 */
export function brief(vault: Vault, scope: Scope = {}): Brief {
  const { contextCharacters, contextMemories } = vault.settings;
  const { project } = scope;
  const atMost = Math.min(contextCharacters, scope.atMost ?? Number.POSITIVE_INFINITY);
  const { candidates, total, otherProjects } = scope.candidates ?? candidatesIn(vault, project);
  const left = { budget: total - candidates.length, otherProjects, held: 0 };

  const told: Told[] = [];
  const bare = frame([], ANY_NONCE).length;
  let free = atMost - bare - LONGEST_REMARK;
  let inVain = 0;
  for (const candidate of candidates) {
    if (told.length >= contextMemories || free <= 0 || inVain >= MOST_IN_VAIN) {
      left.budget += 1;
      continue;
    }
    const found = toldOf(vault, candidate);
    if (found === undefined) continue;
    const its = found.memory.project === null ? undefined : sanitize(found.memory.project, 'line').toString();
    const cost = frame([found], ANY_NONCE).length - bare;
    if (found.facts.held) left.held += 1;
    else if (its !== undefined && its !== project) left.otherProjects += 1;
    else if (cost > free) left.budget += 1;
    else {
      free -= cost;
      told.push(found);
      continue;
    }
    inVain += 1;
  }
  return { told, left, atMost };
}

/** The memory as its file is now; undefined when it is not to be told. */
function toldOf(vault: Vault, candidate: Surveyed): Told | undefined {
  const loaded = served(vault, candidate);
  const facts = loaded && factsOf(vault, loaded);
  return loaded?.shown === undefined || facts === undefined ? undefined : { facts, memory: loaded.shown };
}

/** The brief as a model reads it; never longer than the budget, so with next to none it says nothing at all. */
export function briefText({ told, left, atMost }: Brief, nonce: string): SafeText {
  const remark = remarkOn(left);
  const whole = joinText([frame(told, nonce), ...(remark === undefined ? [] : [remark])], text`\n`);
  return whole.length <= atMost ? whole : text``;
}

/** The server's own words, outside the frame: nothing stored is among them. */
function remarkOn({ budget, otherProjects, held }: Brief['left']): SafeText | undefined {
  const parts = [
    ...(budget === 0 ? [] : [text`${budget} for lack of room`]),
    ...(otherProjects === 0 ? [] : [text`${otherProjects} of other projects`]),
    ...(held === 0 ? [] : [text`${held} held back until a person has looked at them`]),
  ];
  return parts.length === 0 ? undefined : text`Left out: ${joinText(parts, text`, `)}. search_memories finds them.`;
}

export interface Candidates {
  readonly candidates: readonly Surveyed[];
  /** How many there are, those that could never have their turn included. */
  readonly total: number;
  readonly otherProjects: number;
}

/**
 * In the order they are to be told, as far as the index knows; of each sort no more than could be looked at. Whoever wants
 * to know of every memory besides is told of each: going through them takes time with the size of the store.
 */
export function candidatesIn(
  vault: Vault,
  project: string | undefined,
  met: (known: Surveyed) => void = () => {},
): Candidates {
  const sorts = [new Newest(), new Newest(), new Newest(), new Newest()];
  let [total, otherProjects] = [0, 0];
  vault.surveyScoped((known) => {
    met(known);
    const { id, digest, standing, project: its } = known;
    if (standing.tier === 'quarantined') return;
    if (its !== null && its !== project) {
      otherProjects += 1;
      return;
    }
    total += 1;
    const seen = digest === null ? undefined : vault.evidence.firstSeen(id, digest);
    const at = standing.tier === 'verified' ? standing.receipt.at : (seen ?? 0);
    sorts[(standing.tier === 'verified' ? 0 : 2) + (its === null ? 1 : 0)]?.add(known, at);
  });
  return { candidates: sorts.flatMap((sort) => sort.first()), total, otherProjects };
}

/** The newest of many, of which only so many are kept. */
class Newest {
  #kept: { readonly known: Surveyed; readonly at: number }[] = [];
  /** What is older has no chance any more. */
  #oldest = Number.NEGATIVE_INFINITY;

  add(known: Surveyed, at: number): void {
    if (at < this.#oldest) return;
    this.#kept.push({ known, at });
    if (this.#kept.length >= MOST_KEPT * 2) this.#cut();
  }

  first(): Surveyed[] {
    this.#cut();
    return this.#kept.map(({ known }) => known);
  }

  #cut(): void {
    this.#kept.sort((a, b) => b.at - a.at || (a.known.id < b.known.id ? -1 : 1));
    if (this.#kept.length < MOST_KEPT) return;
    this.#kept.length = MOST_KEPT;
    this.#oldest = this.#kept.at(-1)?.at ?? this.#oldest;
  }
}
