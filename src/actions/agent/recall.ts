import { parsePrompt } from '../../core/search/prompt.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import { Disk } from '../../store/disk/disk.ts';
import { type Matching, mayMatch } from '../../store/index/match-in-index.ts';
import type { Places } from '../../store/places/places.ts';
import { isStoreHere } from '../../store/places/refuse-root.ts';
import { readSettings } from '../../store/places/settings.ts';
import { GivenMemories } from '../../store/records/given-memories.ts';
import { placesForRoot } from '../places-for-root.ts';
import { projectHere } from '../project-here.ts';

/**
 * How well a memory must match (`Score.match`). Chosen with `npm run bench:recall`: with less, prompts that have nothing to do with
 * the store are given something; with more, prompts that a memory answers are given nothing.
 */
export const LEAST_MATCH = 0.9;
/** Twenty are weighed, because those that the session has already, or may not be given, take places. */
export const WEIGHED = 20;

interface SubmittedPrompt {
  readonly prompt: string;
  /** The client's own name for its session. */
  readonly session: string;
  readonly folder: string;
}

/** What a prompt looks for in a store, and what of it the session has already. */
export interface Recall {
  readonly places: Places;
  readonly disk: Disk;
  readonly wordings: readonly ParsedQuery[];
  readonly matching: Matching;
  readonly given: GivenMemories;
  readonly folder: string;
}

/**
 * What to look for in the store because of a prompt; undefined where nothing is to be given. Only the index is asked, because most
 * prompts bring nothing and that must cost little; what it has is what the last scan found, because a prompt must not wait for one.
 */
export function recallFor(root: string | undefined, { prompt, session, folder }: SubmittedPrompt): Recall | undefined {
  const wordings = parsePrompt(prompt);
  if (wordings.length === 0) return undefined;
  const places = placesForRoot(root);
  const disk = new Disk();
  if (!isStoreHere(places, disk)) return undefined;
  const { recallPerPrompt } = readSettings(places.config, disk).settings;
  const given = new GivenMemories(places.state, session, disk);
  const except = recallPerPrompt === 'off' ? undefined : given.ids();
  if (except === undefined) return undefined;
  const within = projectHere(places, folder).names;
  const isVerifiedOnly = recallPerPrompt === 'verified';
  const matching = { least: LEAST_MATCH, weighed: WEIGHED, isVerifiedOnly, within, except };
  return mayMatch(places.cache, disk, wordings, matching)
    ? { places, disk, wordings, matching, given, folder }
    : undefined;
}
