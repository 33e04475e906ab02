import { findMissingTexts } from '../../actions/put-back-from-copies.ts';
import {
  type CarriedOut,
  type CarryOut,
  changedMeanwhile,
  choicesFor,
  countedAs,
  type ReviewChoice,
  settledMeanwhile,
} from '../../actions/review/answers.ts';
import { HeldAnswer, takenBack } from '../../actions/review/held-answer.ts';
import { type Case, openCase, type ReviewItem, whyAsked } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { tell } from '../terminal/print.ts';
import { whileStoring } from '../terminal/while-waiting.ts';
import { personAtTerminal } from './person-at-terminal.ts';
import { questionFor } from './review-question.ts';
import { Rewording } from './reword.ts';
import type { Tally } from './tally.ts';
import type { Answer, Witness } from './witness.ts';

const CHANGED_WHILE_WRITING = text`It changed while you were writing. Nothing was done; this is how it is now. What you wrote is kept: e opens it again.`;
const LAST = 'u takes the last answer back, any other key ends the review: ';

/** The answer that u takes back. */
interface HeldInQueue {
  /** Where its item stands in the queue. */
  readonly at: number;
  readonly open: Case;
  /** It only passes the item over. */
  readonly changesNothing: boolean;
  readonly answer: HeldAnswer<CarriedOut>;
}

/** A person's way through a queue, one item at a time. Each answer is held until the next one, so that u can take it back. */
export class QueueReview {
  readonly #session: Session;
  readonly #witness: Witness;
  readonly #tally: Tally;
  readonly #items: ReviewItem[];
  readonly #written = new Map<string, string>();
  #at = 0;
  #held: HeldInQueue | undefined;

  constructor(session: Session, witness: Witness, items: readonly ReviewItem[], tally: Tally) {
    this.#session = session;
    this.#witness = witness;
    this.#items = [...items];
    this.#tally = tally;
  }

  /** Whatever ends it, an answer that was given is carried out. */
  async run(): Promise<void> {
    this.#witness.terminal.endOnSignals();
    await findMissingTexts(this.#session.vault);
    try {
      while (await this.#step());
    } finally {
      await this.#carryOut();
    }
  }

  /** Asks about the item whose turn it is; false at the end. */
  async #step(): Promise<boolean> {
    const item = this.#items[this.#at];
    if (item === undefined) return this.#last();
    const open = openCase(this.#session, item);
    const why = whyAsked(open ?? item);
    tell(sanitize(`\n── ${this.#at + 1} of ${this.#items.length} · ${why} ──`, 'body'), 'strong');
    if (open === undefined) {
      tell(sanitize(settledMeanwhile(item), 'line'));
      this.#at += 1;
      return true;
    }
    const choices = choicesFor(open);
    const answer = await this.#witness.ask(questionFor(this.#session, open, choices, this.#held?.open.id));
    const { key } = answer;
    if (key === 'u') return this.#takeBack();
    const before = this.#held?.open.id;
    if (!(await this.#carryOut()) && item.correctedBy === before) {
      // What was to correct it is not verified, so nobody has to decide about it.
      this.#items.splice(this.#at, 1);
      return true;
    }
    const choice = choices.find((each) => each.key === key);
    if (choice === undefined || choice.effect === 'stop') return false;
    if (choice.effect === 'write') await this.#reword(open);
    else await this.#hold(open, choice, choice.effect, answer);
    return true;
  }

  async #hold(open: Case, choice: ReviewChoice, effect: CarryOut, answer: Answer<string>): Promise<void> {
    const work = () => effect(this.#session, open, personAtTerminal(answer));
    const changesNothing = choice.key === 's';
    this.#held = { at: this.#at, open, changesNothing, answer: new HeldAnswer(work) };
    if (choice.next !== undefined) this.#items.splice(this.#at + 1, 0, choice.next);
    if (!this.#witness.terminal.takesKeys) await this.#carryOut();
    else if (!changesNothing) tell(sanitize(`${open.id}: ${choice.means}. For five seconds u takes it back.`, 'line'));
    this.#at += 1;
  }

  /** At the end of the queue the last answer can still be taken back. */
  async #last(): Promise<boolean> {
    const held = this.#held;
    if (held === undefined || held.changesNothing) return false;
    const key = await this.#witness.terminal.key(LAST, { within: held.answer.left });
    if (key?.toLowerCase() === 'u') return this.#takeBack();
    await this.#carryOut();
    return this.#at < this.#items.length;
  }

  async #takeBack(): Promise<boolean> {
    const held = this.#held;
    if (held?.answer.takeBack()) {
      this.#held = undefined;
      this.#at = held.at;
      this.#items.splice(held.at + 1, this.#items[held.at + 1]?.correctedBy === held.open.id ? 1 : 0);
      tell(sanitize(takenBack(held.open.id), 'line'), 'good');
    } else {
      tell(text`It is too late to take that back; surety demote and surety restore change it.`, 'warning');
      await this.#carryOut();
    }
    return true;
  }

  /**
   * Carries out what is held and says what came of it; false where it was refused. What has to be asked because of it comes
   * after the item on the screen.
   */
  async #carryOut(): Promise<boolean> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return true;
    const done = await whileStoring(() => held.answer.carriedOut());
    const item = this.#items[held.at];
    if (!(done instanceof Refusal)) {
      this.#tally.count(...countedAs(done.outcome));
      if (done.said !== undefined) tell(sanitize(done.said.sentence, 'line'), done.said.tone);
      if (done.then !== undefined) this.#items.splice(this.#at + 1, 0, done.then);
      return true;
    }
    if (done.code === 'changed-meanwhile' && item !== undefined) {
      tell(sanitize(`${held.open.id}: ${changedMeanwhile(held.open)}`, 'line'), 'warning');
      this.#items.splice(this.#at + 1, 0, item);
    } else this.#refused(done);
    return false;
  }

  async #reword(open: Case): Promise<void> {
    const { stem, loaded } = open;
    try {
      const reworded = await new Rewording(this.#session, this.#witness, loaded, this.#written.get(stem)).inEditor();
      this.#written.delete(stem);
      if (reworded.kind === 'left') return;
      if (reworded.kind === 'changed') {
        if (reworded.written !== undefined) this.#written.set(stem, reworded.written);
        return tell(CHANGED_WHILE_WRITING, 'warning');
      }
      this.#tally.count(...countedAs(reworded.outcome));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refused(error);
    }
    this.#at += 1;
  }

  #refused(refusal: Refusal): void {
    this.#tally.failed += 1;
    tell(sanitize(refusal.forPerson, 'line'), 'danger');
  }
}
