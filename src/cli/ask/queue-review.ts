import { findMissingTexts } from '../../actions/put-back-from-copies.ts';
import {
  type AnswerOutcome,
  type CarriedOut,
  type CarryOut,
  choicesFor,
  countedAs,
  type ReviewChoice,
  settledMeanwhile,
} from '../../actions/review/answers.ts';
import { HeldAnswer, takenBack, whyRefused } from '../../actions/review/held-answer.ts';
import { isAsShown, notAsShown } from '../../actions/review/is-as-shown.ts';
import { type ItemsInTurn, movedOn, withAgain, withLater } from '../../actions/review/items-in-turn.ts';
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
  /** Where the person stood. */
  readonly before: ItemsInTurn;
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
  readonly #written = new Map<string, string>();
  /** The files that refused answers were about, by place and name, until another answer about the same one is carried out. */
  readonly #failed = new Set<string>();
  #turn: ItemsInTurn;
  #held: HeldInQueue | undefined;

  constructor(session: Session, witness: Witness, items: readonly ReviewItem[], tally: Tally) {
    this.#session = session;
    this.#witness = witness;
    this.#turn = { items, at: 0 };
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
    const { items, at } = this.#turn;
    const item = items[at];
    if (item === undefined) return this.#last();
    const open = openCase(this.#session, item);
    const why = whyAsked(open ?? item);
    tell(sanitize(`\n── ${at + 1} of ${items.length} · ${why} ──`, 'body'), 'strong');
    if (open === undefined) {
      tell(sanitize(settledMeanwhile(item), 'line'));
      this.#turn = movedOn(this.#turn, item.stem);
      return true;
    }
    const choices = choicesFor(open);
    const answer = await this.#witness.ask(questionFor(this.#session, open, choices, this.#held?.open.id));
    const { key } = answer;
    if (key === 'u') return this.#takeBack();
    const before = this.#held;
    await this.#carryOut();
    // What was to correct it is not verified, so nobody has to decide about it.
    if (this.#turn.items[at] !== item) return true;
    const choice = choices.find((each) => each.key === key);
    if (choice === undefined || choice.effect === 'stop') return false;
    // The answer before may have verified what this one contradicts: it is asked about again, with that beside it.
    if (before !== undefined && key !== 's' && !isAsShown(open, openCase(this.#session, item))) {
      tell(sanitize(notAsShown(open), 'line'), 'warning');
      return true;
    }
    if (choice.effect === 'write') await this.#reword(open);
    else await this.#hold(open, choice, choice.effect, answer);
    return true;
  }

  async #hold(open: Case, choice: ReviewChoice, effect: CarryOut, answer: Answer<string>): Promise<void> {
    const work = () => effect(this.#session, open, personAtTerminal(answer));
    const changesNothing = choice.key === 's';
    this.#held = { before: this.#turn, open, changesNothing, answer: new HeldAnswer(work) };
    this.#turn = movedOn(this.#turn, open.stem, choice.next);
    if (!this.#witness.terminal.takesKeys) await this.#carryOut();
    else if (!changesNothing) tell(sanitize(`${open.id}: ${choice.means}. For five seconds u takes it back.`, 'line'));
  }

  /** At the end of the queue the last answer can still be taken back. */
  async #last(): Promise<boolean> {
    const held = this.#held;
    if (held === undefined || held.changesNothing) return false;
    const key = await this.#witness.terminal.key(LAST, { within: held.answer.left });
    if (key?.toLowerCase() === 'u') return this.#takeBack();
    await this.#carryOut();
    return this.#turn.at < this.#turn.items.length;
  }

  async #takeBack(): Promise<boolean> {
    const held = this.#held;
    if (held?.answer.takeBack()) {
      this.#held = undefined;
      this.#turn = held.before;
      tell(sanitize(takenBack(held.open.id), 'line'), 'good');
    } else {
      tell(text`It is too late to take that back; surety demote and surety restore change it.`, 'warning');
      await this.#carryOut();
    }
    return true;
  }

  /** Carries out what is held and says what came of it. */
  async #carryOut(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    const done = await whileStoring(() => held.answer.carriedOut());
    if (done instanceof Refusal) {
      this.#turn = withAgain(this.#turn, held.open, done);
      if (done.code !== 'changed-meanwhile') this.#count(held.open);
    } else {
      this.#turn = withLater(this.#turn, done.then);
      this.#count(held.open, done.outcome);
    }
    const said = done instanceof Refusal ? whyRefused(done, held.open) : done.said;
    if (said !== undefined) tell(sanitize(said.sentence, 'line'), said.tone);
  }

  /** Counts what came of an answer; without an outcome it was refused. */
  #count({ loaded, stem }: Case, outcome?: AnswerOutcome): void {
    const key = `${loaded.place}/${stem}`;
    if (outcome === undefined) this.#failed.add(key);
    else if (outcome.kind !== 'skipped') this.#failed.delete(key);
    this.#tally.failed = this.#failed.size;
    if (outcome !== undefined) this.#tally.count(...countedAs(outcome));
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
      this.#count(open, reworded.outcome);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#count(open);
      tell(sanitize(error.forPerson, 'line'), 'danger');
    }
    this.#turn = movedOn(this.#turn, stem);
  }
}
