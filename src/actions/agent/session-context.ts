import type { Memory } from '../../core/memory/memory.ts';
import { projectIn } from '../../core/memory/project.ts';
import type { Facts } from '../../core/present/model-facts.ts';
import { frame } from '../../core/present/model-frame.ts';
import { joinText, type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import type { Checkout } from '../../store/checkout/checkout.ts';
import { type Candidate, surveyNewest } from '../../store/reconcile/survey-newest.ts';
import type { SurveyedInProject, Vault } from '../../store/vault/vault.ts';
import { ANCHOR_MS, type AnchorLook, anchorLook } from '../anchors.ts';
import { isDeclined, isHeldBack, served } from '../memory-state.ts';
import { factsOf } from '../read-memory.ts';

export interface LoadedMemory {
  readonly facts: Facts;
  readonly memory: Memory;
}

/** Why memories are left out of a context, in Surety's own words. Quarantined ones are not counted. */
const LEFT_OUT = {
  budget: text`for lack of room`,
  otherProjects: text`of other projects`,
  held: text`held back until a person has looked at them`,
  declined: text`that a person said no to`,
  conflicting: text`in conflict with a verified one`,
  /** Inferred ones, where the operator wants verified ones only. */
  unconfirmed: text`that nobody confirmed`,
} as const;
type LeftOutCounts = Record<keyof typeof LEFT_OUT, number>;

/** What a session gets at its start, and how many memories were left out and why. */
interface SessionContext {
  readonly given: readonly LoadedMemory[];
  readonly left: Readonly<LeftOutCounts>;
  /** The ids of what there was no room for and may be loaded, in the order of the context; at most MOST_NAMED. */
  readonly noRoom: readonly string[];
  /** At most this many characters. */
  readonly atMost: number;
}

interface ContextScope {
  /** The repository that the session works in, for looking at anchors. */
  readonly checkout?: Checkout | undefined;
  /** The projects whose memories are loaded; without any, memories of all projects are left out. */
  readonly projects?: readonly string[];
  /** At most this many characters, if that is less than the operator's budget. */
  readonly atMost?: number;
  /** The project's candidates, if they were found already. */
  readonly candidates?: Candidates;
}

/**
 * At most 40 files that do not fit or are held back are read for one context, because a session must start as fast in a
 * large store as in a small one.
 */
const MOST_IN_VAIN = 40;
/** The least that a memory takes: the lines of the frame around an id of six characters. For less room no file is read. */
export const LEAST_ROOM = 160;
/** At most 500 candidates of each sort, several times what is read for a context. */
const MOST_KEPT = 500;

/** As long as a real nonce, because the frame counts towards the budget too. */
const ANY_NONCE = '0'.repeat(16);
const LONGEST_REMARK = 240;
/** Kept free for ids where there are more memories than a context has. */
const ROOM_FOR_IDS = 300;
/** At most 40 ids, because a model chooses by them and a longer list is one that nobody reads. */
const MOST_NAMED = 40;

/**
 * Chooses what a session gets at its start: verified before inferred, this project before none, newest first. A memory
 * that is too long does not keep shorter ones out. The index orders the files; each file decides its tier.
 */
export function sessionContext(vault: Vault, scope: ContextScope = {}): SessionContext {
  const { contextCharacters, contextMemories } = vault.settings;
  const { projects = [] } = scope;
  const atMost = Math.min(contextCharacters, scope.atMost ?? Number.POSITIVE_INFINITY);
  const { candidates, total, others } = scope.candidates ?? candidatesIn(vault, projects);
  const left = { ...others, budget: total - candidates.length };

  const look = anchorLook(scope.checkout, ANCHOR_MS.start);
  const given: LoadedMemory[] = [];
  const noRoom: string[] = [];
  const leaveOut = (candidate: Candidate) => {
    left.budget += 1;
    if (noRoom.length < MOST_NAMED && !isHeldBack(vault, candidate)) noRoom.push(candidate.id);
  };
  const bare = frame([], ANY_NONCE).length;
  let free = atMost - bare - LONGEST_REMARK - (total > contextMemories ? ROOM_FOR_IDS : 0);
  let inVain = 0;
  const isSigned = vault.evidence.passkeys() !== undefined;
  for (const candidate of candidates) {
    if (given.length >= contextMemories || free < LEAST_ROOM || inVain >= MOST_IN_VAIN) {
      leaveOut(candidate);
      continue;
    }
    const load = () => measured(loadedMemory(vault, candidate, look), bare);
    // Once something had no room, most of what follows has none either, and an assertion is not verified for that.
    const presumed = inVain > 0 && isSigned ? vault.evidence.presuming(load) : undefined;
    const measure = presumed !== undefined && presumed.cost > free ? presumed : load();
    if (measure === undefined) continue;
    const { found, cost } = measure;
    const its = projectIn(found.memory);
    if (found.facts.tier === 'inferred' && isVerifiedOnly(vault)) left.unconfirmed += 1;
    else if (found.facts.declined) left.declined += 1;
    else if (found.facts.conflictsWith !== undefined) left.conflicting += 1;
    else if (found.facts.held) left.held += 1;
    else if (its !== null && !projects.includes(its)) left.otherProjects += 1;
    else if (cost > free) leaveOut(candidate);
    else {
      free -= cost;
      given.push(found);
      continue;
    }
    inVain += 1;
  }
  return { given, left, noRoom, atMost };
}

function isVerifiedOnly({ settings }: Vault): boolean {
  return settings.context === 'verified-only';
}

/** Reads the memory's file again; undefined if it may not be served. */
function loadedMemory(vault: Vault, candidate: Candidate, look: AnchorLook): LoadedMemory | undefined {
  const loaded = served(vault, candidate);
  const facts = loaded && factsOf(vault, loaded, look);
  return loaded?.shown === undefined || facts === undefined ? undefined : { facts, memory: loaded.shown };
}

/** A memory with what it takes of the budget. */
function measured(found: LoadedMemory | undefined, bare: number): { found: LoadedMemory; cost: number } | undefined {
  return found && { found, cost: frame([found], ANY_NONCE).length - bare };
}

/** The context as text for a model; empty if it would exceed the budget. */
export function contextText({ given, left, noRoom, atMost }: SessionContext, nonce: string): SafeText {
  const remark = remarkOn(left);
  const whole = joinText([frame(given, nonce), ...(remark === undefined ? [] : [remark])], text`\n`);
  if (whole.length > atMost) return text``;
  return text`${whole}${namesOf(noRoom, left.budget, atMost - whole.length)}`;
}

/** Names as many as fit. Ids are the server's own words, and read_memory takes them. */
function namesOf(ids: readonly string[], many: number, room: number): SafeText {
  for (let count = ids.length; count > 0; count--) {
    const named = joinText(
      ids.slice(0, count).map((id) => sanitize(id, 'line')),
      text`, `,
    );
    const more = many - count;
    const names = text` There was no room for ${named}${more === 0 ? text`` : text` and ${more} more`}.`;
    if (names.length <= room) return names;
  }
  return text``;
}

/** Surety's own words, outside the frame; no stored text. */
function remarkOn(left: SessionContext['left']): SafeText | undefined {
  const reasons = Object.keys(LEFT_OUT) as (keyof LeftOutCounts)[];
  const parts = reasons.flatMap((why) => (left[why] === 0 ? [] : text`${left[why]} ${LEFT_OUT[why]}`));
  return parts.length === 0 ? undefined : text`Left out: ${joinText(parts, text`, `)}. search_memories finds them.`;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** All candidates, including those beyond MOST_KEPT. */
  readonly total: number;
  /** Memories that are no candidates. Only those of this project or of none have another reason than their project. */
  readonly others: Readonly<LeftOutCounts>;
}

/** What is met beside the candidates, because a second pass over a large store would be slow. */
interface AlsoMet {
  /** Memories that are met by themselves. */
  readonly apart: Iterable<string>;
  /** Gets each memory, or one of many that count alike, with when it was first seen and how many they are. */
  met(known: SurveyedInProject, seen: number | undefined, times: number): void;
}

/** Candidates in the order of the context, by the index, at most MOST_KEPT of each sort. */
export function candidatesIn(
  vault: Vault,
  projects: readonly string[],
  { apart, met }: AlsoMet = { apart: [], met: () => {} },
): Candidates {
  let total = 0;
  const others: LeftOutCounts = { budget: 0, otherProjects: 0, held: 0, declined: 0, conflicting: 0, unconfirmed: 0 };
  const visit = (known: SurveyedInProject, seen: number | undefined, times: number) => {
    const { id, digest, standing, project: its } = known;
    met(known, seen, times);
    if (standing.tier === 'quarantined') return;
    const isInferred = standing.tier === 'inferred';
    if (its !== null && !projects.includes(its)) others.otherProjects += times;
    else if (isInferred && isDeclined(vault, id, digest)) others.declined += times;
    else if (vault.conflicts.of(known) !== undefined) others.conflicting += times;
    else if (isInferred && isVerifiedOnly(vault)) others.unconfirmed += times;
    else {
      total += times;
      return (isInferred ? 2 : 0) + (its === null ? 1 : 0);
    }
  };
  const sorts = surveyNewest(vault, { lists: 4, most: MOST_KEPT, apart, visit });
  return { candidates: sorts.flat(), total, others };
}
