import type { Adoption } from '../actions/review/adopt.ts';
import type { MachineView, Vouched } from '../actions/review/machines.ts';
import type { Case } from '../actions/review/review.ts';
import { shownFor, shownForBoth, shownForLedger, shownForPasskey } from '../actions/review/shown.ts';
import type { Assertion } from '../core/passkeys/assertion.ts';
import {
  CHANNELS,
  type ConsentToBoth,
  type Level,
  type Matter,
  type Shown,
  type UserConsent,
  type UserNo,
  witnessed,
} from '../core/trust/consent.ts';
import { randomHex } from '../store/disk/random.ts';
import type { PasskeyQuestion, PlannedChange } from '../store/maintenance/passkeys.ts';

/** What one page shows, with the form to answer it. */
export type Sheet =
  | { readonly kind: 'case'; readonly open: Case }
  | { readonly kind: 'edit'; readonly open: Case }
  | { readonly kind: 'draft'; readonly open: Case; readonly adoption: Adoption }
  | { readonly kind: 'machine'; readonly machine: MachineView; readonly vouched: readonly Vouched[] }
  | { readonly kind: 'passkey' }
  | { readonly kind: 'end' };

/** A sheet that came back through its own form. Only this gives a yes. */
export interface AnsweredSheet {
  readonly sheet: Sheet;
  /** The yes to the memory on the sheet. */
  yes(verb: Matter): UserConsent;
  /** The yes to the memory on the sheet, in the place of the one beside it. */
  yesToBoth(verb: Matter): ConsentToBoth;
  /** The yes to the person's own words on a draft. */
  yesToDraft(): UserConsent;
  /** The yes to the machine whose fingerprint and memories were on the sheet. */
  yesToMachine(): UserConsent;
  /** The yes to the first passkey, which the person has just made. */
  yesToPasskey(planned: PlannedChange): UserConsent;
  /** The no to what was on the sheet. */
  readonly no: UserNo;
}

interface OpenSheet {
  readonly sheet: Sheet;
  readonly since: number;
  /** What a passkey is asked for each answer, by its key. */
  readonly questions: ReadonlyMap<string, PasskeyQuestion>;
}

/** At most 32 open tabs; older sheets are forgotten and can be loaded again. */
const MOST_SHEETS = 32;

/**
 * The witness on the page. It remembers what each form showed and makes the yes from that. A form's token names one sheet
 * and works once; nothing else in a request says what is confirmed.
 */
export class PageWitness {
  readonly #sheets = new Map<string, OpenSheet>();
  /** The level of a yes here that no passkey signed. */
  readonly levelAtMost: Level;
  readonly #client: string | null;
  readonly #lifetime: number;

  /** `lifetime`: for how many milliseconds a sheet can be answered, where it may be open for hours. */
  constructor(levelAtMost: Level, client: string | null, lifetime = Number.POSITIVE_INFINITY) {
    this.levelAtMost = levelAtMost;
    this.#client = client;
    this.#lifetime = lifetime;
  }

  /** Remembers the sheet. The token goes into its form. */
  show(sheet: Sheet, questions: OpenSheet['questions'] = new Map()): string {
    const token = randomHex(32);
    this.#sheets.set(token, { sheet, since: performance.now(), questions });
    for (const oldest of this.#sheets.keys()) {
      if (this.#sheets.size <= MOST_SHEETS) break;
      this.#sheets.delete(oldest);
    }
    return token;
  }

  /** The sheet of this form; undefined for a token that was used, invented, forgotten or has become too old. */
  take(form: URLSearchParams): AnsweredSheet | undefined {
    const token = form.get('token') ?? '';
    const kept = this.#sheets.get(token);
    if (kept === undefined) return undefined;
    this.#sheets.delete(token);
    const { sheet, since, questions } = kept;
    if (performance.now() - since > this.#lifetime) return undefined;
    const assertion = assertionIn(form, questions.get(form.get('key') ?? ''));
    return {
      sheet,
      yes: (verb) => {
        if (sheet.kind !== 'case') throw new TypeError('Nothing was shown that could be confirmed.');
        return this.#witnessed(shownFor(verb, sheet.open.screen), assertion);
      },
      yesToBoth: (verb) => {
        if (sheet.kind !== 'case' || sheet.open.rivalScreen === undefined)
          throw new TypeError('There were no two memories on this sheet.');
        const shown = shownForBoth(verb, sheet.open.screen, sheet.open.rivalScreen);
        // A passkey signs what makes a memory count. The other one only goes into quarantine.
        return { consent: this.#witnessed(shown.new, assertion), toRival: this.#witnessed(shown.old) };
      },
      yesToDraft: () => {
        if (sheet.kind !== 'draft') throw new TypeError('There was no draft on this sheet.');
        return this.#witnessed(shownFor(sheet.adoption.verb, sheet.adoption.screen), assertion);
      },
      yesToMachine: () => {
        if (sheet.kind !== 'machine') throw new TypeError('There was no machine on this sheet.');
        return this.#witnessed(shownForLedger('trust-machine', sheet.machine, 'untrusted'));
      },
      yesToPasskey: (planned) => {
        if (sheet.kind !== 'passkey') throw new TypeError('There was no passkey on this sheet.');
        return this.#witnessed(shownForPasskey(planned));
      },
      no: {
        channel: 'page',
        level: Math.min(CHANNELS.page, this.levelAtMost) as Level,
        client: this.#client,
      },
    };
  }

  #witnessed(shown: Shown, assertion?: Assertion): UserConsent {
    return witnessed('page', shown, { levelAtMost: this.levelAtMost, client: this.#client, assertion });
  }
}

/** What the passkey answered to this question, as the form has it; undefined where it was not asked. */
export function assertionIn(form: URLSearchParams, question: PasskeyQuestion | undefined): Assertion | undefined {
  const part = (name: string) => form.get(name) ?? '';
  if (question === undefined || !form.has('signature')) return undefined;
  return {
    credential: part('credential'),
    authenticatorData: part('authenticatorData'),
    clientDataJSON: part('clientDataJSON'),
    signature: part('signature'),
    nonce: question.nonce,
  };
}
