import {
  type Adopted,
  type Adoption,
  adopt,
  draftAdoption,
  leaveAdoption,
  wordingOf,
} from '../../actions/review/adopt.ts';
import { carriedOutAdoption, type Outcome } from '../../actions/review/answers.ts';
import { memoryFacts, settingsFacts } from '../../actions/review/case-facts.ts';
import { formOf, sameWording, type Wording, wordingIn } from '../../actions/review/edit-form.ts';
import { draftOnScreen } from '../../actions/review/shown.ts';
import type { Session } from '../../actions/session.ts';
import type { Finding } from '../../core/finding.ts';
import { Refusal } from '../../core/refusal.ts';
import { type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import { type Edited, edit } from '../../store/programs/editor.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { complain, tell } from '../terminal/print.ts';
import { Interrupted } from '../terminal/terminal.ts';
import { tellBlocks, tellFaults } from './tell-findings.ts';
import type { Answer, Question, Witness } from './witness.ts';

export type Reworded =
  | ({ readonly kind: 'stored' } & Adopted)
  | { readonly kind: 'left' }
  /** The memory changed meanwhile, so the consent was void; `written` can be used for another try. */
  | { readonly kind: 'changed'; readonly written: string | undefined };

const UNSAVED: Record<Exclude<Edited['kind'], 'saved' | 'interrupted'>, SafeText> = {
  none: text`There is no editor: neither VISUAL nor EDITOR is set, and neither nano nor vi is here. Set EDITOR and try again. Nothing was done.`,
  unstarted: text`Your editor could not be started; look at VISUAL and EDITOR. Nothing was done.`,
  failed: text`Your editor ended with an error, so what it left was thrown away. Nothing was done.`,
  unreadable: text`What your editor left is no text file of a size that a memory can have; it was thrown away. Nothing was done.`,
};
const EMPTIED = text`The file came back empty. Nothing was done.`;
const UNCHANGED = text`The text is as it was. Nothing was done. (An editor that returns at once needs an option, such as code --wait.)`;

/** Rewords one memory: the person's editor, the checks, the whole new text on the screen, their yes. */
export class Rewording {
  readonly #session: Session;
  readonly #witness: Witness;
  readonly #original: Loaded;
  readonly #stored: Wording;
  #written: string | undefined;

  /** `written` is the person's earlier text, if there is one. */
  constructor(session: Session, witness: Witness, original: Loaded, written?: string) {
    this.#session = session;
    this.#witness = witness;
    this.#original = original;
    this.#stored = wordingOf(original);
    this.#written = written;
  }

  /** Offers the unchanged text first; the person may edit it. */
  async asItIs(): Promise<Reworded> {
    const draft = this.#drafted(this.#stored) ?? (await this.#again());
    return draft === undefined ? { kind: 'left' } : this.#ask(draft);
  }

  async inEditor(): Promise<Reworded> {
    const draft = await this.#write();
    return draft === undefined ? { kind: 'left' } : this.#ask(draft);
  }

  /** Shows the whole new text until the person stores it or leaves. */
  async #ask(first: Adoption): Promise<Reworded> {
    let draft = first;
    for (;;) {
      const answer = await this.#witness.ask(this.#questionAbout(draft));
      if (answer.key === 's') {
        leaveAdoption(this.#session, draft, 'terminal');
        return { kind: 'left' };
      }
      // An unread or unchanged text from the editor leaves the draft unchanged.
      if (answer.key === 'e') draft = (await this.#write()) ?? draft;
      else {
        const stored = await this.#store(draft, answer);
        if (stored !== 'id-taken') return stored;
        tell(text`Another memory took this id meanwhile. Nothing was stored; this is how it would be now:`, 'warning');
        draft = draftAdoption(this.#session, this.#original, draft.newMemory, 'terminal');
      }
    }
  }

  async #store(draft: Adoption, { consent, putAway }: Answer<string>): Promise<Reworded | 'id-taken'> {
    if (consent === undefined) throw new TypeError('a draft is stored with a yes');
    try {
      return { kind: 'stored', ...(await adopt(this.#session, draft, { newMemory: consent, putAway })) };
    } catch (error) {
      if (error instanceof Refusal && error.code === 'id-taken') return 'id-taken';
      if (error instanceof Refusal && error.code === 'changed-meanwhile')
        return { kind: 'changed', written: this.#written };
      throw error;
    }
  }

  /** Opens the editor until the text can be stored; undefined if the person leaves or changes nothing. */
  async #write(): Promise<Adoption | undefined> {
    const wording = await this.#edited();
    if (wording === undefined) return undefined;
    return ('body' in wording ? this.#drafted(wording) : tellFaults(wording)) ?? this.#again();
  }

  async #again(): Promise<Adoption | undefined> {
    const ways = [
      { key: 'e', means: 'change it' },
      { key: 's', means: 'leave it' },
    ] as const;
    return (await this.#witness.choose(ways, 's')) === 'e' ? this.#write() : undefined;
  }

  async #edited(): Promise<Wording | readonly Finding[] | undefined> {
    const { state } = this.#session.vault.places;
    const desk = { state, env: process.env, platform: process.platform, complain };
    const form = this.#written ?? formOf(this.#stored);
    const edited = await this.#witness.terminal.lend(() => edit(this.#original.id, form, desk));
    if (edited.kind === 'interrupted') throw new Interrupted('interrupted');
    if (edited.kind !== 'saved') return said(UNSAVED[edited.kind]);
    const wording = wordingIn(edited.text);
    if (wording === 'emptied') return said(EMPTIED);
    if ('body' in wording && sameWording(wording, this.#stored)) return said(UNCHANGED);
    this.#written = edited.text;
    return wording;
  }

  /** Drafts the new memory; prints why and returns undefined if a check blocks it. */
  #drafted(wording: Wording): Adoption | undefined {
    try {
      return draftAdoption(this.#session, this.#original, wording, 'terminal');
    } catch (error) {
      if (!(error instanceof Refusal) || error.findings.length === 0) throw error;
      return tellBlocks(error.findings.filter(({ severity }) => severity === 'block'));
    }
  }

  #questionAbout(draft: Adoption): Question<'y' | 'e' | 's'> {
    const { id, shown } = this.#original;
    const adopts = draft.verb === 'adopt';
    const differs = !sameWording(draft.newMemory, this.#stored);
    return {
      exhibit: {
        ...draftOnScreen(draft),
        facts: [
          {
            label: 'instead of',
            ours: adopts ? `${id}, which goes into quarantine` : `${id}, which stays in quarantine`,
          },
          ...(differs ? settingsFacts(this.#session) : memoryFacts(this.#session, this.#original)),
        ],
        against: differs && shown ? { memory: shown, heading: `what differs from ${id}` } : undefined,
      },
      sentence: text`Store exactly this as verified, as your own words: ${sanitize(draft.id, 'line')}?`,
      choices: [
        { key: 'y', means: adopts ? 'yes, do both' : 'yes, store it', verb: draft.verb },
        { key: 'e', means: 'change it' },
        { key: 's', means: 'leave it' },
      ],
      otherwise: 's',
      leave: 's',
      putsAway: adopts ? this.#original : undefined,
    };
  }
}

/** Prints what was stored in place of the memory `instead`. */
export function tellStored(adopted: Adopted, instead: string): Outcome {
  const { outcome, said } = carriedOutAdoption(instead, adopted);
  tell(sanitize(said.sentence, 'line'), said.tone);
  return outcome;
}

function said(why: SafeText): undefined {
  tell(why, 'warning');
}
