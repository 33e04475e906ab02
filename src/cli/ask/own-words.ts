import {
  add,
  addAsProposal,
  draft,
  isConfirmedOnPage,
  type MemoryDraft,
  recordNotStored,
} from '../../actions/review/add.ts';
import { conflictFacts, type Fact, settingsFacts } from '../../actions/review/case-facts.ts';
import { formOf, type Wording } from '../../actions/review/edit-form.ts';
import { whyNoYesCounts } from '../../actions/review/first-passkey.ts';
import { ownWordsOnScreen } from '../../actions/review/shown.ts';
import type { Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { type Doors, EXIT } from '../command.ts';
import { tell } from '../terminal/print.ts';
import { whileStoring } from '../terminal/while-waiting.ts';
import { confirmOnPage } from './browser-review.ts';
import { tellIfItPasses, unlessBlocked } from './tell-findings.ts';
import { TextInEditor } from './text-in-editor.ts';
import type { Witness } from './witness.ts';

/**
 * Stores a memory in the person's own words, after they have seen it whole and said yes. What they wrote is never thrown
 * away because a check objects: they are asked whether to change it.
 */
export async function storeOwnWords(
  session: Session,
  witness: Witness,
  written: Wording,
  doors: Doors,
): Promise<number> {
  /** What the person is asked about. A changed text that a check blocks is not: they may leave it and say yes to this one. */
  let wording = written;
  const drafted = (changed: Wording) => {
    const drawn = unlessBlocked(() => draft(session, changed));
    if (drawn !== undefined) wording = changed;
    return drawn;
  };
  const form = formOf(written);
  const inEditor = new TextInEditor(session, witness, 'new_memory', form, async (changed) => drafted(changed));
  let made = drafted(written) ?? (await inEditor.change(true));
  if (made !== undefined && isConfirmedOnPage(session)) return storeOnPage(session, witness, made, doors);
  while (made !== undefined) {
    const { key, consent, isAnswered } = await witness.ask({
      sheet: {
        ...ownWordsOnScreen({ ...made, id: made.newMemory.id }),
        facts: [
          ...sameness(made),
          ...conflictFacts(session, { id: made.newMemory.id, shown: made.memory }),
          ...settingsFacts(session),
        ],
      },
      sentence: text`Store this as verified, as your own words: ${sanitize(made.newMemory.id, 'line')}?`,
      choices: [
        { key: 'y', means: 'yes, store it', verb: 'add' },
        { key: 'e', means: 'change it' },
        { key: 'n', means: 'no' },
      ],
      otherwise: 'n',
      leave: 'n',
    });
    if (key === 'e') {
      made = (await inEditor.change()) ?? made;
      continue;
    }
    if (key === 'n' || consent === undefined) {
      recordNotStored(session, made, isAnswered);
      break;
    }
    try {
      const asked = made;
      const { id, standing } = await whileStoring(() => add(session, asked, consent));
      tell(text`${sanitize(id, 'line')} is ${sanitize(standing.tier, 'line')}.`, 'good');
      return EXIT.done;
    } catch (error) {
      if (tellIfItPasses(error)) continue;
      if (!(error instanceof Refusal) || error.code !== 'id-taken') throw error;
      tell(text`Another memory took this id meanwhile. Nothing was stored; this is how it would be now:`, 'warning');
      made = drafted(wording);
    }
  }
  tell(text`Nothing was stored.`);
  return EXIT.failed;
}

/** Stores it as inferred and asks on the page, because a yes counts here only with a passkey. */
async function storeOnPage(session: Session, witness: Witness, made: MemoryDraft, doors: Doors): Promise<number> {
  const item = await addAsProposal(session, made);
  const { id } = item;
  const said = sanitize(id, 'line');
  const tierNow = () => session.vault.load(id)?.standing.tier;
  const why = whyNoYesCounts(session.vault);
  if (tierNow() !== 'verified' && why !== undefined) {
    tell(text`${said} is stored as inferred. ${sanitize(why, 'line')}`, 'warning');
    return EXIT.failed;
  }
  if (tierNow() !== 'verified') {
    tell(
      text`Here a yes counts only with a passkey. ${said} is stored as inferred; the page asks for your yes.`,
      'strong',
    );
    await confirmOnPage(session, witness, item, doors);
  }
  const tier = tierNow();
  if (tier === 'verified') {
    tell(text`${said} is verified.`, 'good');
    return EXIT.done;
  }
  if (tier === 'quarantined') tell(text`${said} is quarantined, as you answered.`);
  else tell(text`${said} is not verified. surety review --web asks about it again.`, 'warning');
  return EXIT.failed;
}

function sameness({ same }: MemoryDraft): Fact[] {
  if (same === undefined) return [];
  const ours = same === 'quarantined' ? 'this text was quarantined before' : `${same.id} says this already`;
  return [{ label: 'note', ours }];
}
