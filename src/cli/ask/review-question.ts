import type { AnswerKey, ReviewChoice } from '../../actions/review/answers.ts';
import { caseFacts } from '../../actions/review/case-facts.ts';
import { type Case, isNowhere, wordsFor } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import type { KeyQuestion } from './witness.ts';

/** `held` is the memory whose answer can still be taken back. */
export function questionFor(
  session: Session,
  open: Case,
  choices: readonly ReviewChoice[],
  held: string | undefined,
): KeyQuestion<AnswerKey | 'u'> {
  return {
    sheet: { ...open.screen, facts: caseFacts(session, open), against: open.against, rival: open.rivalScreen },
    sentence: sentenceFor(open),
    choices: held === undefined ? choices : [...choices, { key: 'u', means: `take back ${held}` }],
    otherwise: 's',
    leave: 'q',
    byKey: true,
    takesBack: held === undefined ? undefined : 'u',
  };
}

function sentenceFor(open: Case): SafeText {
  const { category, rival } = open;
  const id = sanitize(open.id, 'line');
  if (isNowhere(open)) return text`The file of ${id} is missing. Was it meant to go?`;
  if (category === 'missing') return text`The file of ${id} is missing or damaged. Put it back?`;
  if (rival !== undefined)
    return text`${id} and ${sanitize(rival.id, 'line')} seem to contradict each other. Which one do you keep?`;
  if (category === 'displaced') return text`Put this text back in its place: ${id}?`;
  return text`${sanitize(wordsFor(open).asksFor, 'line')}: ${id}?`;
}
