import { DECISIONS } from '../../actions/decide.ts';
import {
  type Adoption,
  adopt,
  adoptingOf,
  draftAdoption,
  draftAsItIs,
  leaveAdoption,
  notAdoptable,
  wordingOf,
} from '../../actions/review/adopt.ts';
import { type AnswerOutcome, carriedOutAdoption } from '../../actions/review/answers.ts';
import { dictationFacts, hintFacts, memoryFacts, settingsFacts } from '../../actions/review/case-facts.ts';
import { changeHints, changesOnlyHints, HINTS_CHANGED } from '../../actions/review/change-hints.ts';
import { formOf, sameWording, type Wording } from '../../actions/review/edit-form.ts';
import type { Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { tell } from '../terminal/print.ts';
import { whileStoring } from '../terminal/while-waiting.ts';
import { tellIfItPasses, unlessBlocked } from './tell-findings.ts';
import { TextInEditor } from './text-in-editor.ts';
import type { Answer, KeyQuestion, Witness } from './witness.ts';

export type RewordingResult =
  | { readonly kind: 'stored'; readonly outcome: AnswerOutcome }
  | { readonly kind: 'left' }
  /** The memory changed meanwhile, so the consent was void; `written` can be used for another try. */
  | { readonly kind: 'changed'; readonly written: string | undefined };

const UNCHANGED = text`The text is as it was. Nothing was done. (An editor that returns at once needs an option, such as code --wait.)`;

/** Takes one memory as the person's own words: their editor, the checks, the whole text on the screen, their yes. */
export class Rewording {
  readonly #session: Session;
  readonly #witness: Witness;
  readonly #original: Loaded;
  readonly #stored: Wording;
  readonly #inEditor: TextInEditor<Adoption>;
  #written: string | undefined;

  /** `written` is the person's earlier text, if there is one. */
  constructor(session: Session, witness: Witness, original: Loaded, written?: string) {
    if (adoptingOf(original) === undefined) throw notAdoptable(original);
    this.#session = session;
    this.#witness = witness;
    this.#original = original;
    this.#stored = wordingOf(original);
    this.#written = written;
    const form = written ?? formOf(this.#stored);
    this.#inEditor = new TextInEditor(session, witness, original.id, form, (wording) => this.#changed(wording));
  }

  /** Offers the unchanged text first; the person may edit it. Of a quarantined one a new memory is offered. */
  async asItIs(): Promise<RewordingResult> {
    const draft =
      (adoptingOf(this.#original) === 'adopt' ? this.#asItIs() : this.#drafted(this.#stored)) ??
      (await this.#inEditor.change(true));
    return draft === undefined ? { kind: 'left' } : this.#ask(draft);
  }

  async inEditor(): Promise<RewordingResult> {
    const draft = await this.#inEditor.change();
    return draft === undefined ? { kind: 'left' } : this.#ask(draft);
  }

  /** Shows the whole new text until the person stores it or leaves. */
  async #ask(first: Adoption): Promise<RewordingResult> {
    let draft = first;
    for (;;) {
      const answer = await this.#witness.ask(this.#questionAbout(draft));
      if (answer.key === 's') {
        leaveAdoption(this.#session, draft, 'terminal');
        return { kind: 'left' };
      }
      // An unread or unchanged text from the editor leaves the draft unchanged.
      if (answer.key === 'e') draft = (await this.#inEditor.change()) ?? draft;
      else {
        const stored = await this.#store(draft, answer);
        if (stored === 'not-now') continue;
        if (stored !== 'id-taken') return stored;
        tell(text`Another memory took this id meanwhile. Nothing was stored; this is how it would be now:`, 'warning');
        draft = draftAdoption(this.#session, this.#original, draft.wording ?? this.#stored, 'terminal');
      }
    }
  }

  async #store(draft: Adoption, { consent }: Answer<string>): Promise<RewordingResult | 'id-taken' | 'not-now'> {
    if (consent === undefined) throw new TypeError('a draft is stored with a yes');
    try {
      const stored = await whileStoring(() => adopt(this.#session, draft, consent));
      return { kind: 'stored', outcome: tellStored(draft, stored) };
    } catch (error) {
      if (error instanceof Refusal && error.code === 'id-taken') return 'id-taken';
      if (error instanceof Refusal && error.code === 'changed-meanwhile')
        return { kind: 'changed', written: this.#written };
      if (this.#written !== undefined && tellIfItPasses(error)) return 'not-now';
      throw error;
    }
  }

  async #changed(wording: Wording): Promise<Adoption | 'nothing' | undefined> {
    if (changesOnlyHints(this.#original, wording)) {
      await changeHints(this.#session, this.#original, wording, 'terminal');
      tell(sanitize(HINTS_CHANGED, 'line'), 'good');
      return 'nothing';
    }
    if (sameWording(wording, this.#stored)) {
      tell(UNCHANGED, 'warning');
      return 'nothing';
    }
    this.#written = this.#inEditor.form;
    return this.#drafted(wording);
  }

  /** Drafts the memory in these words; prints why and returns undefined if a check blocks it. */
  #drafted(wording: Wording): Adoption | undefined {
    return unlessBlocked(() => draftAdoption(this.#session, this.#original, wording, 'terminal'));
  }

  #asItIs(): Adoption | undefined {
    return unlessBlocked(() => draftAsItIs(this.#session, this.#original, 'terminal'));
  }

  #questionAbout(draft: Adoption): KeyQuestion<'y' | 'e' | 's'> {
    const { stem, shown } = this.#original;
    const { verb, wording, screen, dictation } = draft;
    const inPlace = verb === 'adopt';
    const differs = wording !== undefined && !sameWording(wording, this.#stored);
    return {
      sheet: {
        ...screen,
        facts: [
          ...(inPlace ? [] : [{ label: 'instead of', ours: `${stem}, which stays in quarantine` }]),
          ...dictationFacts(dictation),
          ...(differs
            ? [...hintFacts(draft.document), ...settingsFacts(this.#session)]
            : memoryFacts(this.#session, this.#original)),
        ],
        against:
          differs && shown
            ? { memory: shown, heading: inPlace ? 'what you changed' : `what differs from ${stem}` }
            : undefined,
      },
      sentence: text`Store exactly this as verified, as your own words: ${sanitize(draft.id, 'line')}?`,
      choices: [
        { key: 'y', means: inPlace ? DECISIONS.adopt.yes : 'yes, store it', verb },
        { key: 'e', means: 'change it' },
        { key: 's', means: 'leave it' },
      ],
      otherwise: 's',
      leave: 's',
    };
  }
}

/** Prints what was stored. */
function tellStored(adoption: Adoption, stored: Loaded): AnswerOutcome {
  const { outcome, said } = carriedOutAdoption(adoption, stored);
  tell(sanitize(said.sentence, 'line'), said.tone);
  return outcome;
}
