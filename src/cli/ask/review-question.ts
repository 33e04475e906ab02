import type { Choice, Key } from '../../actions/review/answers.ts';
import { caseFacts } from '../../actions/review/case-facts.ts';
import { type Case, wordsFor } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import type { Question } from './witness.ts';

/** `held` is the memory whose answer can still be taken back. */
export function questionFor(
  session: Session,
  open: Case,
  choices: readonly Choice[],
  held: string | undefined,
): Question<Key | 'u'> {
  const asksFor = open.category === 'displaced' ? 'Put this text back in its place' : wordsFor(open).asksFor;
  return {
    sheet: { ...open.screen, facts: caseFacts(session, open), against: open.against },
    sentence:
      open.category === 'missing'
        ? text`The file of ${sanitize(open.id, 'line')} is missing or damaged. Put it back?`
        : text`${sanitize(asksFor, 'line')}: ${sanitize(open.id, 'line')}?`,
    choices: held === undefined ? choices : [...choices, { key: 'u', means: `take back ${held}` }],
    otherwise: 's',
    leave: 'q',
    byKey: true,
  };
}
