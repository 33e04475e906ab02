import {
  type AnswerOutcome,
  changedMeanwhile,
  choicesFor,
  countedAs,
  isUnsignedYes,
  type Said,
} from '../../actions/review/answers.ts';
import { isAsShown } from '../../actions/review/is-as-shown.ts';
import { type Case, openCase, type ReviewItem } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Assurance } from '../../core/trust/consent.ts';
import { applyToWriting, personOn, storeDraft, type WritingPage } from '../apply-answer.ts';
import { type Held, HeldOnPage } from '../held/held-on-page.ts';
import { whyNotCarriedOut } from '../held/hold-answer.ts';
import { complain } from '../replies.ts';
import type { Writing } from '../review-session.ts';
import type { AnsweredSheet, PageWitness } from '../witness.ts';
import { Notices } from './notices.ts';
import { keyOf } from './row-json.ts';
import { type RowChanges, Rows } from './rows.ts';

/** What the open tabs hear. `said`: what came of an answer; `rows`: what changed in the list. */
interface OverviewNews {
  rows(changes: RowChanges): void;
  said(said: Said & { readonly key: string; readonly isDone: boolean }): void;
}

/** The reply to an answer. `view` is what the browser shows next of the memory `key`. */
type Answered =
  | {
      readonly kind: 'held';
      readonly key: string;
      readonly means: string;
      readonly undo: string;
      readonly ms: number;
      readonly then?: string | undefined;
    }
  | { readonly kind: 'done'; readonly key: string; readonly said?: Said | undefined }
  | { readonly kind: 'show'; readonly key: string; readonly view: 'sheet' | 'edit' | 'draft'; readonly said?: Said }
  | { readonly kind: 'outdated' };

type Undone = { readonly kind: 'undone'; readonly key: string; readonly id: string } | { readonly kind: 'too-late' };

/** An answer that can be taken back. */
interface HeldInOverview {
  readonly id: string;
  readonly key: string;
  readonly means: string;
  /** The row of the memory that is asked about because of this answer. */
  readonly then: string | undefined;
}

function held({ key, means, undo, answer, then }: Held<HeldInOverview>): Answered {
  return { kind: 'held', key, means, undo, ms: Math.round(answer.left), then };
}

/** Names the memory: the refusal of the answer before may stand above it. */
function outdated({ id }: Case): Said {
  const why = 'was shown too long ago or is not as it was shown, so nothing was done about it';
  return { tone: 'warning', sentence: `${id} ${why}. This is how it is now:` };
}

/** One person's overview of a store: the list, what is held, and what they type. */
export class Overview implements WritingPage {
  readonly session: Session;
  /** The highest level a yes on this page has. */
  readonly level: Assurance;
  readonly rows: Rows;
  readonly notices: Notices;
  readonly outcomes: AnswerOutcome[] = [];
  /** A person opened it at a terminal, so every answer counts. */
  readonly counts = true;
  writing: Writing | undefined;
  #said: Said | undefined;
  readonly holding: HeldOnPage<HeldInOverview>;
  /** What a correction that was vouched for is asked about next, by row. */
  readonly #corrected = new Map<string, ReviewItem>();

  constructor(session: Session, level: Assurance, news: OverviewNews) {
    this.session = session;
    this.level = level;
    // What came of an answer is said to the open tabs when it is carried out, whether a key, the clock or the end did that.
    this.holding = new HeldOnPage<HeldInOverview>(({ said, isDone }, { key }) => {
      if (said !== undefined) news.said({ ...said, key, isDone });
      return true;
    });
    this.notices = new Notices(session);
    this.rows = new Rows(session, (changes) => news.rows(changes));
  }

  say(tone: Said['tone'], sentence: string): void {
    this.#said = { tone, sentence };
  }

  /** The memory of a row as it is now; undefined if there is none. */
  open(key: string): Case | undefined {
    const row = this.rows.get(key);
    if (row === undefined) return undefined;
    const { id, stem, place, category } = row;
    const corrected = this.#corrected.get(key);
    const asked = corrected ?? (category === null ? undefined : { category, id, stem });
    const waiting = asked && openCase(this.session, asked, this.level);
    return waiting ?? openCase(this.session, { category: 'chosen', id, stem, place }, this.level);
  }

  /** Takes an answer. The answer before it is carried out first. */
  answer(witness: PageWitness, form: URLSearchParams): Promise<Answered> {
    return this.holding.inTurn(async () => {
      const answered = witness.take(form);
      if (answered === undefined) return { kind: 'outdated' };
      await this.holding.carryOut();
      try {
        return await this.#apply(answered, form);
      } catch (error) {
        if (!(error instanceof Refusal) || !('open' in answered.sheet)) throw error;
        this.writing = undefined;
        const key = keyOf(answered.sheet.open.loaded);
        return { kind: 'show', key, view: 'sheet', said: saidOf(error, answered.sheet.open) };
      }
    });
  }

  /** What is held, for a tab that is loaded meanwhile. */
  get heldNow(): Answered | undefined {
    const { now } = this.holding;
    return now && held(now);
  }

  /** Takes the held answer back, so that it leaves no trace. */
  undo(token: string): Promise<Undone> {
    return this.holding.inTurn(async (): Promise<Undone> => {
      const last = await this.holding.takeBack(token);
      if (last === undefined) return { kind: 'too-late' };
      if (last.then !== undefined) this.#corrected.delete(last.then);
      return { kind: 'undone', key: last.key, id: last.id };
    });
  }

  /** Carries out what is held; the page closes after it. */
  finish(): Promise<void> {
    this.rows.stop();
    return this.holding.inTurn(() => this.holding.carryOut());
  }

  /** How many memories became what. Nothing of the store is in it but the ids of answers that were not carried out. */
  decided(): string {
    const counts = Map.groupBy(this.outcomes.flatMap(countedAs), (word) => word);
    const parts = [...counts].map(([word, all]) => `${all.length} ${word}`);
    const { lost } = this.holding;
    if (lost !== undefined) {
      const others = parts.length > 0 ? ` Decided here: ${parts.join('; ')}.` : '';
      return `Not every answer was carried out. ${lost}${others}`;
    }
    if (parts.length > 0) return `What you decided is written. Decided here: ${parts.join('; ')}.`;
    return this.outcomes.length === 0 ? 'Nothing was decided here.' : '';
  }

  /** Forgets what is held, because nobody knows any more who is the person. What is being written already is written. */
  async drop(): Promise<void> {
    this.rows.stop();
    await this.holding.drop();
  }

  async #apply(answered: AnsweredSheet, form: URLSearchParams): Promise<Answered> {
    const { sheet } = answered;
    const pressed = form.get('key') ?? '';
    if (!('open' in sheet)) return { kind: 'outdated' };
    const key = keyOf(sheet.open.loaded);
    if (sheet.kind === 'edit') {
      const next = await applyToWriting(this, sheet.open, pressed, form);
      const said = this.#takeSaid();
      return { kind: 'show', key, view: next === 'draft' || next === 'edit' ? next : 'sheet', ...(said && { said }) };
    }
    if (sheet.kind === 'draft') {
      if (pressed === 'e') return { kind: 'show', key, view: 'edit' };
      if (pressed !== 'y') {
        this.writing = undefined;
        return { kind: 'show', key, view: 'sheet' };
      }
      const { outcome, said } = await storeDraft(this.session, answered, sheet.adoption);
      this.writing = undefined;
      this.#settled(key, outcome);
      return { kind: 'done', key, said };
    }
    return this.#applyToCase(answered, sheet.open, key, form);
  }

  async #applyToCase(answered: AnsweredSheet, open: Case, key: string, form: URLSearchParams): Promise<Answered> {
    const choice = choicesFor(open).find((each) => each.key === form.get('key'));
    if (choice === undefined || choice.effect === 'stop' || choice.key === 's')
      return { kind: 'show', key, view: 'sheet' };
    if (!isAsShown(open, this.open(key))) return { kind: 'show', key, view: 'sheet', said: outdated(open) };
    if (choice.effect === 'write') {
      this.writing = undefined;
      return { kind: 'show', key, view: 'edit' };
    }
    const { effect, verb, means, next } = choice;
    const work = () => effect(this.session, open, personOn(answered, form.get('reason') ?? ''));
    // Nobody asked about a chosen memory, so its no is an explicit demotion: a lowering waits for nothing.
    if (open.category === 'chosen' && verb === 'demote') {
      const { outcome, said } = await work();
      this.#settled(key, outcome);
      return { kind: 'done', key, said };
    }
    const then = next && keyOf({ place: 'memories', stem: next.stem });
    if (next !== undefined && then !== undefined) this.#corrected.set(then, next);
    const carryOut = async () => {
      const { outcome, said } = await work();
      this.#settled(key, outcome);
      return said;
    };
    const answer = this.holding.hold({ id: open.id, key, means, then }, carryOut, (error) => {
      // What was to correct it is not verified, so nobody has to decide about it.
      if (then !== undefined) this.#corrected.delete(then);
      return whyNotCarriedOut(this.session, error, open);
    });
    return held(answer);
  }

  #settled(key: string, outcome: AnswerOutcome): void {
    this.outcomes.push(outcome);
    // An explicit demote and the person's own words are carried out at once, without being held.
    this.holding.settled(key);
    this.#corrected.delete(key);
    if (isUnsignedYes(outcome)) this.notices.offerPasskey();
    this.rows.update([outcome.id]).catch((error) => complain(this.session.vault, error));
  }

  #takeSaid(): Said | undefined {
    const said = this.#said;
    this.#said = undefined;
    return said;
  }
}

function saidOf(error: Refusal, open: Case): Said {
  return error.code === 'changed-meanwhile'
    ? { tone: 'warning', sentence: changedMeanwhile(open) }
    : { tone: 'danger', sentence: error.forPerson };
}
