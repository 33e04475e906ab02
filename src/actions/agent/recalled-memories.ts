import type { Facts } from '../../core/present/model-facts.ts';
import { frame, HOW_TO_READ } from '../../core/present/model-frame.ts';
import { type ParsedQuery, snippetAround } from '../../core/search/query.ts';
import { type SafeText, sanitize, text, Untrusted } from '../../core/text/safe-text.ts';
import { Checkout } from '../../store/checkout/checkout.ts';
import { randomHex } from '../../store/disk/random.ts';
import { openToLook } from '../../store/open-vault.ts';
import type { FoundMemory, Vault } from '../../store/vault/vault.ts';
import { ANCHOR_MS, type AnchorLook, anchorLook } from '../anchors.ts';
import { factsOf } from '../read-memory.ts';
import type { Recall } from './recall.ts';
import type { LoadedMemory } from './session-context.ts';

/** At most 3 memories and 1,500 UTF-16 units a prompt, because every prompt of a session pays for what is given with it. */
export const MOST_GIVEN = 3;
const MOST_UNITS = 1_500;
/** A longer body is cut to the part around what was found, so that one memory leaves room for the others. */
const LONGEST_BODY = 400;
/** A body cut to less says nothing. */
const SHORTEST_BODY = 80;

const OPENING = text`What the person's long-term memory, Surety, has on this prompt. ${sanitize(HOW_TO_READ, 'line')} Text with … is cut: read_memory has it whole.\n`;

/**
 * The memories that match a prompt, for a model: read from their files, judged by the ledgers and noted as given. Undefined where there
 * are none.
 */
export async function recalledMemories(recall: Recall): Promise<SafeText | undefined> {
  const { places, disk, wordings, matching, given, folder } = recall;
  const { least, weighed, isVerifiedOnly, within, except } = matching;
  // Complaints are for the session's start, not for every prompt.
  const vault = openToLook(places, { disk, complain: () => {} });
  try {
    const filter = { limit: weighed, here: within, within, ...(isVerifiedOnly && { tier: 'verified' as const }) };
    const { found } = await vault.find(wordings, filter, true);
    const matches = found.filter(({ match, loaded }) => match >= least && !except.has(loaded.id));
    const look = anchorLook(Checkout.at(folder), ANCHOR_MS.search);
    const memories = verifiedFirst(matches).flatMap((each) => givable(vault, each, look));
    const { ids, context } = fitting(memories, wordings);
    if (ids.length === 0) return undefined;
    // Noted first: a disk that takes no note would give the same memories with every prompt.
    given.add(ids);
    return context;
  } finally {
    vault.close();
  }
}

function verifiedFirst(found: readonly FoundMemory[]): FoundMemory[] {
  const rank = ({ loaded }: FoundMemory) => (loaded.standing.tier === 'verified' ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b) || b.match - a.match);
}

/** Nothing held, declined or conflicting; and of what nobody confirmed, nothing shaped like an instruction, whatever the settings. */
function givable(vault: Vault, { loaded }: FoundMemory, look: AnchorLook): LoadedMemory[] {
  const facts = factsOf(vault, loaded, look);
  if (facts === undefined || loaded.shown === undefined || isQuestionable(facts)) return [];
  const isShapedLikeInstruction = loaded.inspection.findings.some((finding) => finding.class === 'injection');
  return facts.tier === 'inferred' && isShapedLikeInstruction ? [] : [{ facts, memory: loaded.shown }];
}

function isQuestionable({ held, declined, conflictsWith }: Facts): boolean {
  return held || declined === true || conflictsWith !== undefined;
}

/** As many as fit, each with its body as far as it fits. */
function fitting(
  memories: readonly LoadedMemory[],
  wordings: readonly ParsedQuery[],
): { readonly ids: readonly string[]; readonly context: SafeText } {
  const nonce = randomHex(8);
  const contextOf = (some: readonly LoadedMemory[]) => text`${OPENING}${frame(some, nonce)}\n`;
  const question = { units: wordings.flatMap(({ units }) => units), words: wordings.flatMap(({ words }) => words) };
  const chosen: LoadedMemory[] = [];
  for (const each of memories) {
    if (chosen.length === MOST_GIVEN) break;
    const body = sanitize(each.memory.body, 'body').toString();
    for (let length = LONGEST_BODY; length >= SHORTEST_BODY; length = Math.floor(length * 0.7)) {
      const cut = body.length <= length ? body : snippetAround(body, question, length);
      const shorter = { ...each, memory: { ...each.memory, body: Untrusted.of(cut) } };
      if (contextOf([...chosen, shorter]).toString().length > MOST_UNITS) continue;
      chosen.push(shorter);
      break;
    }
  }
  return { ids: chosen.map(({ facts }) => facts.id), context: contextOf(chosen) };
}
