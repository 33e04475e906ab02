import { type Wording, wordingIn } from '../../actions/review/edit-form.ts';
import type { Session } from '../../actions/session.ts';
import type { Finding } from '../../core/finding.ts';
import { type SafeText, text } from '../../core/text/safe-text.ts';
import { type Edited, edit } from '../../store/programs/editor.ts';
import { Interrupted } from '../command.ts';
import { complain, tell } from '../terminal/print.ts';
import type { Witness } from './witness.ts';

/** What came back from a person's editor, to begin with next time, and what it says or what is wrong with it. */
interface EditedWording {
  readonly form: string;
  readonly wording: Wording | readonly Finding[];
}

const UNSAVED: Record<Exclude<Edited['kind'], 'saved' | 'interrupted'>, SafeText> = {
  none: text`There is no editor: neither VISUAL nor EDITOR is set, and neither nano nor vi is here. Set EDITOR and try again. Nothing was done.`,
  unstarted: text`Your editor could not be started; look at VISUAL and EDITOR. Nothing was done.`,
  failed: text`Your editor ended with an error, so what it left was thrown away. Nothing was done.`,
  unreadable: text`What your editor left is no text file of a size that a memory can have; it was thrown away. Nothing was done.`,
};
const EMPTIED = text`The file came back empty. Nothing was done.`;

/** Opens a form in the person's editor; undefined, with the reason printed, where nothing came back. */
export async function editWording(
  session: Session,
  witness: Witness,
  name: string,
  form: string,
): Promise<EditedWording | undefined> {
  const { state } = session.vault.places;
  const editing = { state, env: process.env, platform: process.platform, complain };
  const edited = await witness.terminal.lend(() => edit(name, form, editing));
  if (edited.kind === 'interrupted') throw new Interrupted('interrupted');
  if (edited.kind !== 'saved') return said(UNSAVED[edited.kind]);
  const wording = wordingIn(edited.text);
  return wording === 'emptied' ? said(EMPTIED) : { form: edited.text, wording };
}

function said(why: SafeText): undefined {
  tell(why, 'warning');
}
