import { isAbsolute } from 'node:path';
import { brief, briefText, type Candidates, candidatesIn } from '../actions/agent/session-context.ts';
import { WaitingLine } from '../actions/review-queue.ts';
import { type Look, openGlance } from '../actions/session.ts';
import { syncLine } from '../actions/sync/sync-notices.ts';
import { HOW_TO_READ } from '../core/present/model-frame.ts';
import { Refusal } from '../core/refusal.ts';
import { randomHex } from '../store/disk/random.ts';
import { projectAt } from '../store/places/project.ts';
import type { Hook } from './hook.ts';
import { type HookInput, textIn } from './input.ts';

/** Claude Code puts anything longer into a file and shows the model its beginning; it counts UTF-16 units. */
const MOST_UNITS = 10_000;

const OPENING = `What the person's long-term memory, Surety, has for this session. ${HOW_TO_READ}\n`;

/** What a session begins with: the memories for the model, and one line for the person when something waits. */
export const sessionStart: Hook = async (input, root) => {
  const session = await lookAt(root);
  if (session === undefined) return undefined;
  try {
    const waiting = new WaitingLine(session);
    const project = projectOf(textIn(input, 'cwd'));
    // Gone through once for both, since that takes time with the size of the store.
    const candidates = candidatesIn(session.vault, project, (known) => waiting.count(known));
    const context = carriesOn(input) ? '' : contextFor(session, project, candidates);
    const lines = [waiting.said(), syncLine(session)].filter((line) => line !== null);
    const waits = lines.length === 0 ? null : lines.join('\n');
    if (context === '' && waits === null) return undefined;
    return {
      ...(context !== '' && { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context } }),
      ...(waits !== null && { systemMessage: waits }),
    };
  } finally {
    session.vault.close();
  }
};

/** A session brings no store into being; without one there is nothing to say. */
async function lookAt(root: string | undefined): Promise<Look | undefined> {
  try {
    return await openGlance(root);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no-store') return undefined;
    throw error;
  }
}

/** The memories an earlier start brought along are in the conversation still; after a compaction they are not. */
function carriesOn(input: HookInput): boolean {
  return ['resume', 'fork'].includes(textIn(input, 'source') ?? '');
}

function contextFor({ vault }: Look, project: string | undefined, candidates: Candidates): string {
  const nonce = randomHex(8);
  // Code points are counted by the brief, and some take two units.
  for (let atMost = MOST_UNITS - OPENING.length; atMost > 0; atMost = Math.floor(atMost * 0.75)) {
    const loaded = brief(vault, { project, atMost, candidates });
    const memories = loaded.told.length === 0 ? '' : briefText(loaded, nonce).toString();
    if (memories === '') return '';
    if (OPENING.length + memories.length <= MOST_UNITS) return OPENING + memories;
  }
  return '';
}

/** A folder that is gone or cannot be looked at belongs to no project; the memories of none are still loaded. */
function projectOf(cwd: string | undefined): string | undefined {
  try {
    return projectAt(cwd !== undefined && isAbsolute(cwd) ? cwd : process.cwd());
  } catch {
    return undefined;
  }
}
