import { type CarriedOut, choicesFor, type Said } from '../../actions/review/answers.ts';
import { type HeldSubject, takenBack, whyRefused } from '../../actions/review/held-answer.ts';
import { notAsShown } from '../../actions/review/is-as-shown.ts';
import { withAgain, withLater } from '../../actions/review/items-in-turn.ts';
import type { MachineView } from '../../actions/review/machines.ts';
import type { Case, ReviewItem } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { applyAnswer, changesSomething, decideOnMachine, outOfDate, personOn, storeDraft } from '../apply-answer.ts';
import { complain, sentenceOn } from '../replies.ts';
import type { Holding, ReviewSession } from '../review-session.ts';
import type { Watchers } from '../watchers.ts';
import type { AnsweredSheet } from '../witness.ts';

/**
 * Takes an answer and returns the path of the next page. Where answers are held, the one before is carried out first, and
 * this one with the next or after five seconds.
 */
export function takeAnswer(review: ReviewSession, answered: AnsweredSheet, form: URLSearchParams): Promise<string> {
  const { holding } = review;
  if (holding === undefined) return applyAnswer(review, answered, form);
  return holding.inTurn(async () => {
    await holding.carryOut();
    const isHeld = changesSomething(answered, form) && holdAnswer(review, holding, answered, form);
    if (!isHeld) return applyAnswer(review, answered, form);
    // They stood on the sheet that was answered. Taking the answer back does not bring them back.
    await review.tickOff();
    return '';
  });
}

/** Holds an answer; false where it is none of the answers to its sheet. */
function holdAnswer(review: ReviewSession, holding: Holding, answered: AnsweredSheet, form: URLSearchParams): boolean {
  const { sheet } = answered;
  const key = form.get('key');
  if (sheet.kind === 'case') {
    const { open } = sheet;
    const choice = choicesFor(open).find((each) => each.key === key);
    if (choice === undefined || typeof choice.effect === 'string') return false;
    const { effect, means, next } = choice;
    holdOnMemory(review, holding, open, { means, path: '', next }, () =>
      effect(review.session, open, personOn(answered, form.get('reason') ?? '')),
    );
  } else if (sheet.kind === 'draft') {
    const { open, adoption } = sheet;
    const about = { means: 'stored in your own words', path: 'draft', next: undefined };
    holdOnMemory(review, holding, open, about, () => storeDraft(review.session, answered, adoption));
  } else if (sheet.kind === 'machine' && (key === 'y' || key === 'n')) {
    holdOnMachine(review, holding, answered, sheet.machine, key);
  } else return false;
  return true;
}

function holdOnMemory(
  review: ReviewSession,
  holding: Holding,
  open: Case,
  { means, path, next }: { readonly means: string; readonly path: string; readonly next: ReviewItem | undefined },
  work: () => Promise<CarriedOut>,
): void {
  const { id, stem } = open;
  const key = `${open.loaded.place}/${stem}`;
  if (review.isPast(open)) {
    review.say('warning', outOfDate(id));
    return;
  }
  if (!review.asks(open)) {
    review.writing = undefined;
    review.say('warning', notAsShown(open));
    return;
  }
  const carryOut = async () => {
    const { outcome, said, then } = await work();
    review.record(outcome);
    review.turn = withLater(review.turn, then);
    return said;
  };
  holding.hold({ id, key, means, path, before: review.place }, carryOut, (error) => {
    review.turn = withAgain(review.turn, open, error);
    if (error instanceof Refusal && error.code === 'unfinished')
      review.record({ kind: 'unfinished', id, refusal: error });
    return whyNotCarriedOut(review.session, error, open);
  });
  review.moveOn(stem, next);
}

function holdOnMachine(
  review: ReviewSession,
  holding: Holding,
  answered: AnsweredSheet,
  machine: MachineView,
  key: 'y' | 'n',
): void {
  const id = machine.fingerprint.slice(0, 16);
  if (review.isPastMachine(machine)) {
    review.say('warning', outOfDate(id));
    return;
  }
  const means = key === 'y' ? 'yes, its word counts here' : 'no, its word does not count here';
  const carryOut = async () => {
    const { kind, said } = await decideOnMachine(review, answered, machine, key);
    review.settleMachine(machine, kind);
    return said;
  };
  holding.hold({ id, key: id, means, path: '', before: review.place }, carryOut, (error) => {
    review.askAgainAboutMachine(machine);
    return whyNotCarriedOut(review.session, error, { id });
  });
  review.passMachine(machine);
}

/** Why a held answer was not carried out, for the page and the operator's log. */
export function whyNotCarriedOut({ vault }: Session, error: unknown, subject: HeldSubject): Said {
  if (error instanceof Refusal) return whyRefused(error, subject);
  complain(vault, error);
  return { tone: 'danger', sentence: `${subject.id}: ${sentenceOn(error)}` };
}

/** Not every form comes from the tab that was used last, so it claims nothing about how that answer ended. */
const NOTHING_HELD =
  'There is nothing to take back: that answer was carried out or taken back before. What was carried out is changed by surety demote, surety restore and surety machines.';

/** Takes back the answer that the form names, and returns the path of the next page. The other tabs say so too. */
export function takeBack(
  { review, watchers }: { readonly review: ReviewSession; readonly watchers: Watchers },
  holding: Holding,
  form: URLSearchParams,
): Promise<string> {
  return holding.inTurn(async () => {
    const held = await holding.takeBack(form.get('undo') ?? '');
    if (held === undefined) {
      review.say('warning', NOTHING_HELD);
      return '';
    }
    review.goBack(held.before);
    const said: Said = { tone: 'good', sentence: takenBack(held.id) };
    review.say(said.tone, said.sentence);
    watchers.tell('settled', said);
    return held.path;
  });
}
