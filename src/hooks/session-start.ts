import { forgetEndedPrompts } from '../actions/agent/forget-prompts.ts';
import { lastSessionSentence } from '../actions/agent/last-session.ts';
import {
  type Candidates,
  candidatesIn,
  contextText,
  type LoadedMemory,
  sessionContext,
} from '../actions/agent/session-context.ts';
import { countProject, notLoaded, projectHere, type SessionProject } from '../actions/project-here.ts';
import { WaitingLine } from '../actions/review-queue.ts';
import { missingLine, openByNames, type ReadSession } from '../actions/session.ts';
import { syncLine } from '../actions/sync/sync-notices.ts';
import { HOW_TO_READ } from '../core/present/model-frame.ts';
import { Refusal } from '../core/refusal.ts';
import { type SafeText, sanitize, text } from '../core/text/safe-text.ts';
import { Checkout } from '../store/checkout/checkout.ts';
import { Disk } from '../store/disk/disk.ts';
import { randomHex } from '../store/disk/random.ts';
import { writeTo } from '../store/disk/standard-streams.ts';
import { GivenMemories } from '../store/records/given-memories.ts';
import type { Hook } from './hook.ts';
import { folderOf, type HookInput, sessionOf, textIn } from './input.ts';

/**
 * At most 10,000 UTF-16 units, because Claude Code puts longer output into a file and shows the model only its beginning.
 */
const MOST_UNITS = 10_000;

const OPENING = text`What the person's long-term memory, Surety, has for this session. ${sanitize(HOW_TO_READ, 'line')}\n`;

/** What a session begins with: memories for the model, and one line for the person if something waits. */
export const sessionStart: Hook = async (input, root) => {
  const session = await lookAt(root);
  if (session === undefined) return undefined;
  if (session instanceof Refusal) return { message: text`Surety: ${sanitize(session.message, 'line')}` };
  try {
    forgetEndedPrompts(root);
    session.checkout = Checkout.at(folderOf(input));
    const waiting = new WaitingLine(session);
    const here = projectHere(session.vault.places, folderOf(input));
    const counts = new Map<string, number>();
    // One pass for both lists, because a pass takes time in a large store.
    const candidates = candidatesIn(session.vault, here.names, {
      apart: waiting.apart,
      met: (known, seen, times) => {
        waiting.count(known, seen, times);
        countProject(counts, known, times);
      },
    });
    const isNew = !carriesOn(input);
    const { given, memories } = isNew ? contextFor(session, here.names, candidates) : NOTHING;
    if (given.some(({ memory }) => memory.project !== null)) here.use();
    if (isNew) noteGiven(session, input, given);
    const context = isNew ? text`${memories}${missingFor(session)}` : undefined;
    const loaded = isNew
      ? loadedLine(given, textIn(input, 'source') === 'compact' ? null : proposedBefore(session))
      : null;
    const trouble = troubleLine(session);
    const lines = [loaded, projectLine(here, counts), trouble, waiting.said(), syncLine(session)].filter(
      (line) => line !== null,
    );
    return {
      ...(context?.length && { context }),
      ...(lines.length > 0 && { message: sanitize(lines.join('\n'), 'body') }),
    };
  } finally {
    session.vault.close();
  }
};

/**
 * Notes what the session was given, so that no prompt brings it again. A session that is new, cleared or compacted has nothing of
 * what it was given before.
 */
function noteGiven({ vault }: ReadSession, input: HookInput, given: readonly LoadedMemory[]): void {
  const session = sessionOf(input);
  if (session === undefined) return;
  const ids = given.map(({ facts }) => facts.id);
  try {
    new GivenMemories(vault.places.state, session, new Disk()).begin(ids, Date.now());
  } catch {
    // A disk that takes no note gives nothing with prompts, and the session still begins.
  }
}

/** Opens the store only if there is one: a session must not create a store. The refusal says of one that is gone what to do. */
async function lookAt(root: string | undefined): Promise<ReadSession | Refusal | undefined> {
  try {
    return await openByNames(root, (line) => writeTo('stderr', `${line}\n`));
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no-store') return undefined;
    if (error instanceof Refusal && error.code === 'store-gone') return error;
    throw error;
  }
}

/** Memories from an earlier start are still in the conversation, except after a compaction. */
function carriesOn(input: HookInput): boolean {
  return ['resume', 'fork'].includes(textIn(input, 'source') ?? '');
}

interface LoadedContext {
  readonly given: readonly LoadedMemory[];
  readonly memories: SafeText;
}

const NOTHING: LoadedContext = { given: [], memories: text`` };

/** For the person: how much was loaded, and what the session before left behind; null if there is nothing of either. */
function loadedLine(given: readonly LoadedMemory[], before: string | null): string | null {
  const verified = given.filter(({ facts }) => facts.tier === 'verified').length;
  const counts = [
    ...(verified > 0 ? [`${verified} verified`] : []),
    ...(verified < given.length ? [`${given.length - verified} unconfirmed`] : []),
  ];
  if (counts.length === 0 && (before === null || before.endsWith('nothing.'))) return null;
  return `Surety: ${counts.join(', ') || 'nothing to load'}.${before === null ? '' : ` ${before}`}`;
}

/** A line for the person is worth no failed session. */
function proposedBefore(session: ReadSession): string | null {
  try {
    return lastSessionSentence(session, Date.now());
  } catch {
    return null;
  }
}

function contextFor(
  { vault, checkout }: ReadSession,
  projects: readonly string[],
  candidates: Candidates,
): LoadedContext {
  const nonce = randomHex(8);
  // `sessionContext` counts code points, and some take two UTF-16 units.
  for (let atMost = MOST_UNITS - OPENING.length; atMost > 0; atMost = Math.floor(atMost * 0.75)) {
    const loaded = sessionContext(vault, { projects, atMost, candidates, checkout });
    const whole = loaded.given.length === 0 ? text`` : contextText(loaded, nonce);
    if (whole.length === 0) return NOTHING;
    const memories = text`${OPENING}${whole}`;
    if (memories.toString().length <= MOST_UNITS) return { given: loaded.given, memories };
  }
  return NOTHING;
}

/** For the person: why what they vouched for on this machine does not count. Clients do not show what is on stderr. */
function troubleLine({ vault }: ReadSession): string | null {
  const message = vault.keyTrouble?.message ?? vault.reports().find(({ own }) => own)?.advice;
  return message === undefined || message === '' ? null : `Surety: ${message}`;
}

/** A model that finds nothing should know that something was there. */
function missingFor({ vault }: ReadSession): SafeText {
  const missing = vault.missing.all().length;
  return missing === 0 ? text`` : text`\nSurety: ${sanitize(missingLine(missing), 'line')}\n`;
}

/** For the person: memories that may belong to this folder and are not loaded, unless they settled that already. */
function projectLine(here: SessionProject, counts: ReadonlyMap<string, number>): string | null {
  const lines = notLoaded(here, counts).flatMap(({ isSettled, sentence }) => (isSettled ? [] : [sentence]));
  return lines.length === 0 ? null : `Surety: ${lines.join(' ')} surety doctor, run in this folder, settles it.`;
}
