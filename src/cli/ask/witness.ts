import { shownFor, shownForBoth, shownForErasing, shownForLedger } from '../../actions/review/shown.ts';
import { agentShell } from '../../core/clients/agent-shells.ts';
import { type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import { type ConsentToBoth, type Matter, type UserConsent, witnessed } from '../../core/trust/consent.ts';
import type { Erasable } from '../../store/maintenance/erase.ts';
import type { LedgerReport } from '../../store/vault/vault.ts';
import type { TerminalLine } from '../terminal/line.ts';
import { isCramped, SMALLEST, say, tell, windowSize } from '../terminal/print.ts';
import { wrapped } from '../terminal/quote.ts';
import { Terminal } from '../terminal/terminal.ts';
import { linesOf, type SheetContent } from './sheet.ts';

/** An answer that decides nothing. */
export interface PlainChoice<Key extends string> {
  readonly key: Key;
  readonly means: string;
}

/** An answer; one with a verb is a yes to that verb. */
export interface KeyChoice<Key extends string> extends PlainChoice<Key> {
  readonly verb?: Matter;
  /** Whether it also quarantines the memory that the sheet shows beside this one. */
  readonly takesPlace?: true;
}

export interface KeyQuestion<Key extends string> {
  readonly sheet: SheetContent;
  readonly sentence: SafeText;
  readonly choices: readonly KeyChoice<Key>[];
  /** What Enter alone means; never a choice with a verb. */
  readonly otherwise: Key;
  /** What the end of input means, or leaving a long text. */
  readonly leave: Key;
  /** Whether one key answers, without Enter: only where the answer can be taken back. */
  readonly byKey?: boolean | undefined;
  /** The choice that can be made before the whole text is shown: it is about an earlier one. Never one with a verb. */
  readonly takesBack?: Key | undefined;
}

export interface Answer<Key extends string> {
  readonly key: Key;
  /** False if the person left the question: with Enter alone, at the end of input, or while they read. */
  readonly isAnswered: boolean;
  /** The consent, if the choice was a yes. */
  readonly consent: UserConsent | undefined;
  /** Both consents, if the answer was about two memories. */
  readonly both?: ConsentToBoth | undefined;
}

/** A machine's ledger, as far as the person saw it. */
type ReportedEnd = Pick<LedgerReport, 'fingerprint' | 'head'>;

export type YesOrNo = 'y' | 'n' | 'q';
const NO_OR_QUIT = [
  { key: 'n', means: 'no, leave it' },
  { key: 'q', means: 'stop here' },
] as const;

const ALL_SHOWN = 'That is all; Enter goes on to the question';

/** Words people type instead of a key. */
const WORDS: Readonly<Record<string, string>> = { yes: 'y', adopt: 'a', no: 'n', edit: 'e', skip: 's', quit: 'q' };

interface Streams {
  readonly stdin: { readonly isTTY: boolean };
  readonly stdout: { readonly isTTY: boolean };
}

/** Why nobody can be asked here, in one sentence; undefined if somebody can. */
export function whyNobody(
  command: string,
  { platform, env, stdin, stdout }: Pick<NodeJS.Process, 'platform' | 'env'> & Streams = process,
): string | undefined {
  const shell = agentShell(env);
  if (shell !== undefined) {
    return `surety ${command} asks a person and does not run in an agent’s shell (${shell.variable} says this is ${shell.agent}); open a terminal window of your own and run it there.`;
  }
  if (!stdin.isTTY || !stdout.isTTY) {
    // Git Bash's window gives Windows programs a pipe instead of a terminal.
    if (platform === 'win32' && env.MSYSTEM) {
      return `surety ${command} asks a person, and in Git Bash’s own window it sees no terminal; run winpty surety ${command}, or run it in Windows Terminal, PowerShell or cmd.`;
    }
    return `surety ${command} asks a person, so its input and output must be a terminal; run it by hand in a terminal window, without pipes or redirections.`;
  }
  if (!isCramped()) return undefined;
  return `surety ${command} asks a person, and nothing can be shown whole in a window this small; make it at least ${SMALLEST.columns} columns wide and ${SMALLEST.rows} rows high, and run it again.`;
}

/**
 * The witness at the terminal. It shows the whole memory itself and makes the consent from what it showed, so no caller
 * can get a consent for anything else. No flag and no variable replaces the answer.
 */
export class Witness {
  readonly terminal = new Terminal();
  /** Whether one key was an answer before: the person then expects that of the next question too. */
  #tookKeys = false;

  async ask<Key extends string>(question: KeyQuestion<Key>): Promise<Answer<Key>> {
    const { sheet } = question;
    return this.#put(linesOf(sheet, windowSize().width), question, (verb, takesPlace) => {
      if (!takesPlace || sheet.rival === undefined) return { consent: witnessed('terminal', shownFor(verb, sheet)) };
      const shown = shownForBoth(verb, sheet, sheet.rival);
      const both = { consent: witnessed('terminal', shown.new), toRival: witnessed('terminal', shown.old) };
      return { consent: undefined, both };
    });
  }

  /** Asks whether to trust a machine. The yes covers only the fingerprint and the ledger end on the screen. */
  async askToTrust(
    ledger: ReportedEnd,
    lines: readonly TerminalLine[],
    sentence: SafeText,
  ): Promise<Answer<'y' | 'n'>> {
    const shown = shownForLedger('trust-machine', ledger, 'untrusted');
    const choices = [
      { key: 'y', means: 'yes, its word counts here', verb: 'trust-machine' },
      { key: 'n', means: 'no' },
    ] as const;
    const yes = () => ({ consent: witnessed('terminal', shown) });
    return this.#put(lines, { sentence, choices, otherwise: 'n', leave: 'n' }, yes);
  }

  /** Asks what to do next when nothing can be vouched for; undefined at the end of input. */
  async choose<Key extends string>(choices: readonly PlainChoice<Key>[], otherwise: Key): Promise<Key | undefined> {
    return (await this.#choice(choices, otherwise))?.key;
  }

  /** Asks whether a ledger counts again. The yes covers only the state and the ledger end on the screen. */
  async askToMend(
    verb: 'accept-ledger' | 'put-back-ledger' | 'confirm-date',
    ledger: ReportedEnd,
    state: string,
    lines: readonly TerminalLine[],
    sentence: SafeText,
  ): Promise<Answer<YesOrNo>> {
    const shown = shownForLedger(verb, ledger, state);
    const choices = [{ key: 'y', means: 'yes', verb }, ...NO_OR_QUIT] as const;
    const yes = () => ({ consent: witnessed('terminal', shown) });
    return this.#put(lines, { sentence, choices, otherwise: 'n', leave: 'q' }, yes);
  }

  /** Asks about something that raises no memory, so no consent is made. */
  async askPlainly(
    lines: readonly TerminalLine[],
    sentence: SafeText,
  ): Promise<Pick<Answer<YesOrNo>, 'key' | 'isAnswered'>> {
    const choices = [{ key: 'y', means: 'yes' }, ...NO_OR_QUIT] as const;
    return this.#put(lines, { sentence, choices, otherwise: 'n', leave: 'q' }, () => ({ consent: undefined }));
  }

  /** Asks for the memory's id to be typed, because an erased memory cannot be brought back. */
  async askToErase(erasable: Erasable, lines: readonly TerminalLine[]): Promise<UserConsent | undefined> {
    const prompt = text`Type the id to erase it for good; anything else leaves it: `;
    if (!(await this.#show(lines, rowsOf(prompt)))) return undefined;
    say();
    const typed = await this.terminal.answer(prompt.toString());
    return typed?.trim() === erasable.id ? witnessed('terminal', shownForErasing(erasable)) : undefined;
  }

  async #put<Key extends string>(
    lines: readonly TerminalLine[],
    { sentence, choices, otherwise, leave, byKey, takesBack }: Omit<KeyQuestion<Key>, 'sheet'>,
    yesTo: (verb: Matter, takesPlace: boolean) => Omit<Answer<Key>, 'key' | 'isAnswered'>,
  ): Promise<Answer<Key>> {
    const closing = rowsOf(sentence, explained(choices, otherwise));
    const passed = await this.#show(lines, closing, { byKey, takesBack });
    if (passed !== true) return { key: passed || leave, isAnswered: passed !== false, consent: undefined };
    say();
    const choice = await this.#choice(choices, otherwise, { sentence, byKey });
    const { key = leave, isAnswered = false, verb, takesPlace = false } = choice ?? {};
    return { key, isAnswered, ...(verb === undefined ? { consent: undefined } : yesTo(verb, takesPlace)) };
  }

  async #choice<Key extends string>(
    choices: readonly KeyChoice<Key>[],
    otherwise: Key,
    { sentence, byKey }: { sentence?: SafeText; byKey?: boolean | undefined } = {},
  ): Promise<(KeyChoice<Key> & Pick<Answer<Key>, 'isAnswered'>) | undefined> {
    const explain = () => tell(explained(choices, otherwise), 'label');
    const put = () => {
      if (sentence !== undefined) tell(sentence, 'strong');
      explain();
    };
    put();
    for (;;) {
      const typed = await this.#typed(byKey || !this.#tookKeys ? 'answer: ' : 'Enter sends the answer: ', byKey, put);
      if (typed === undefined) return undefined;
      const word = typed.trim().toLowerCase();
      // Only Enter comes as nothing at all. Space, Tab and Ctrl+L (which redraws a shell's window) are keys, and no answers.
      const key = typed === '' ? otherwise : (WORDS[word] ?? word);
      const choice = choices.find((each) => each.key === key);
      if (choice !== undefined) return { ...choice, isAnswered: word !== '' };
      tell(text`That is none of the answers; nothing was done.`, 'warning');
      explain();
    }
  }

  /**
   * Shows a window's height at a time, because lines that scrolled away unread were not shown. The question below takes
   * `closing` rows. Returns false if the person left, and the key that takes back if it was pressed before the end.
   */
  async #show<Key extends string = never>(
    lines: readonly TerminalLine[],
    closing: number,
    { byKey, takesBack }: Pick<KeyQuestion<Key>, 'byKey' | 'takesBack'> = {},
  ): Promise<boolean | Key> {
    const { height, width } = windowSize();
    const back = takesBack === undefined ? '' : `, ${takesBack} takes it back`;
    const keys = `${back}, q leaves: `;
    const atOnce = height - 2 - wrapped(sanitize(`${ALL_SHOWN}${keys}`, 'line'), width).length;
    for (let from = 0; ; from += atOnce) {
      const shown = lines.slice(from, from + atOnce);
      for (const line of shown) say(...line);
      const left = lines.length - from - shown.length;
      if (left === 0 && shown.length + closing <= height) return true;
      const next =
        left === 0 ? ALL_SHOWN : left === 1 ? '1 more line; Enter shows it' : `${left} more lines; Enter shows them`;
      const typed = (await this.#typed(`${next}${keys}`, byKey))?.trim().toLowerCase();
      if (typed === undefined || ['q', 'quit'].includes(typed)) return false;
      if (takesBack !== undefined && typed === takesBack) return takesBack;
      if (left === 0) return true;
    }
  }

  #typed(prompt: string, byKey = false, again?: () => void): Promise<string | undefined> {
    const { terminal } = this;
    if (!byKey || !terminal.takesKeys) return terminal.answer(prompt, again);
    this.#tookKeys = true;
    return terminal.key(prompt, { again });
  }
}

/** Rows of a question: a blank one, its text, and the one for the answer. */
function rowsOf(...parts: readonly SafeText[]): number {
  return 2 + parts.flatMap((part) => wrapped(part, windowSize().width)).length;
}

/** Puts as many choices in a row as fit; a choice stays with its key. */
function explained(choices: readonly KeyChoice<string>[], otherwise: string): SafeText {
  const rows: string[] = [];
  for (const { key, means } of choices) {
    const one = `[${key}] ${means}${key === otherwise ? ' (Enter)' : ''}`;
    const longer = `${rows.at(-1)}   ${one}`;
    if (rows.length > 0 && longer.length <= windowSize().width) rows[rows.length - 1] = longer;
    else rows.push(one);
  }
  return sanitize(rows.join('\n'), 'body');
}
