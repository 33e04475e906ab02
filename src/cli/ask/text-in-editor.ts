import { type Wording, wordingIn } from '../../actions/review/edit-form.ts';
import type { Session } from '../../actions/session.ts';
import type { Finding } from '../../core/finding.ts';
import { type SafeText, text } from '../../core/text/safe-text.ts';
import { type Edited, edit } from '../../store/programs/editor.ts';
import { Interrupted } from '../command.ts';
import { complain, tell } from '../terminal/print.ts';
import { tellFaults } from './tell-findings.ts';
import type { Witness } from './witness.ts';

const UNSAVED: Record<Exclude<Edited['kind'], 'saved' | 'interrupted'>, SafeText> = {
  none: text`There is no editor: neither VISUAL nor EDITOR is set, and neither nano nor vi is here. Set EDITOR and try again. Nothing was done.`,
  unstarted: text`Your editor could not be started; look at VISUAL and EDITOR. Nothing was done.`,
  failed: text`Your editor ended with an error, so what it left was thrown away. Nothing was done.`,
  unreadable: text`What your editor left is no text file of a size that a memory can have; it was thrown away. Nothing was done.`,
};
const EMPTIED = text`The file came back empty. Nothing was done.`;

const CANNOT_BE_STORED = [
  { key: 'e', means: 'change it' },
  { key: 's', means: 'leave it' },
] as const;

/** Undefined, with the reasons printed, where no yes could store it; 'nothing' where there is nothing to store. */
type MakeDraft<Draft> = (wording: Wording) => Promise<Draft | 'nothing' | undefined>;

/** A text that a person changes in their editor, until it can be stored or they leave it. What they saved is kept meanwhile. */
export class TextInEditor<Draft> {
  readonly #session: Session;
  readonly #witness: Witness;
  readonly #name: string;
  readonly #draft: MakeDraft<Draft>;
  /** What they saved last. */
  form: string;

  constructor(session: Session, witness: Witness, name: string, form: string, draft: MakeDraft<Draft>) {
    this.#session = session;
    this.#witness = witness;
    this.#name = name;
    this.form = form;
    this.#draft = draft;
  }

  /** Asks first where the text cannot be stored as it is. Undefined where nothing came back, or the person leaves it. */
  async change(isBlocked = false): Promise<Draft | undefined> {
    for (let asks = isBlocked; ; asks = true) {
      if (asks && (await this.#witness.choose(CANNOT_BE_STORED, 's')) !== 'e') return undefined;
      const wording = await this.#saved();
      const draft = wording && ('body' in wording ? await this.#draft(wording) : tellFaults(wording));
      if (draft === 'nothing' || (wording === undefined && !asks)) return undefined;
      if (draft !== undefined) return draft;
    }
  }

  /** What it says now, or what is wrong with it; undefined, with the reason printed, where nothing came back. */
  async #saved(): Promise<Wording | readonly Finding[] | undefined> {
    const { state } = this.#session.vault.places;
    const editing = { state, env: process.env, platform: process.platform, complain };
    const edited = await this.#witness.terminal.lend(() => edit(this.#name, this.form, editing));
    if (edited.kind === 'interrupted') throw new Interrupted('interrupted');
    if (edited.kind !== 'saved') return said(UNSAVED[edited.kind]);
    const wording = wordingIn(edited.text);
    if (wording === 'emptied') return said(EMPTIED);
    this.form = edited.text;
    return wording;
  }
}

function said(why: SafeText): undefined {
  tell(why, 'warning');
}
