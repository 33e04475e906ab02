import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import { type SafeText, text } from '../core/text/safe-text.ts';
import {
  CHANNELS,
  type ConsentToBoth,
  type Shown,
  type UserConsent,
  type UserNo,
  witnessed,
} from '../core/trust/consent.ts';
import { randomHex } from '../store/disk/random.ts';
import type { Loaded } from '../store/vault/vault.ts';
import type { Call } from './define.ts';

/**
 * The state of a question, which the client returns with the answer. The SDK signs it with a key of this process and rejects
 * any other state, so a tool only sees states from this process.
 */
export type AskState = {
  readonly asked: 'dialog' | 'page';
  readonly nonce: string;
};

export type SignState = (state: AskState) => Promise<string>;

/** A person has ten minutes to answer. */
const ANSWER_MS = 10 * 60_000;
/** The safe answer comes first, because some clients preselect the first; there is no default. */
const NO = 'no, leave it as it is';
/** The answers about two memories that cannot both hold. */
const KEEP_OLD = 'no, keep the old one';
const TAKE_NEW = 'yes, take this one, and quarantine the old one';
const KEEP_BOTH = 'keep both, they hold together';
const MORE = 'more: show the next part';

/**
 * Only `yes` and `take-place` change what counts. `no` and `keep-both` are a person's answers too, `more` asks for
 * `part`; the others mean that nobody answered.
 */
export type DialogAnswer =
  | { readonly kind: 'yes'; readonly consent: UserConsent }
  | { readonly kind: 'take-place'; readonly yes: ConsentToBoth; readonly rival: Loaded }
  | { readonly kind: 'keep-both'; readonly rival: Loaded }
  | { readonly kind: 'more'; readonly part: number }
  | { readonly kind: 'no'; readonly no: UserNo }
  | { readonly kind: 'unanswered'; readonly why: 'cancelled' | 'declined' | 'empty' | 'wrong-value' }
  | { readonly kind: 'void'; readonly why: 'forged' | 'expired' | 'used' | 'other-question' };

/** A question, bound to exactly what is on the screen. */
export interface DialogQuestion {
  readonly shown: Shown;
  /** The verified memory that cannot hold together with this one, as the dialog shows it. Then one answer is about both. */
  readonly rival?: { readonly loaded: Loaded; readonly shown: Shown } | undefined;
  /** What the dialog says, or the dialogs one after the other. A yes in the last covers what all showed. */
  readonly messages: readonly SafeText[];
  /** The agent's reason. It is part of the question, because it was shown and is signed into the decision. */
  readonly reason?: string | undefined;
  /** The choice that means yes, such as `yes, make it verified`. */
  readonly yes: string;
}

interface OpenQuestion {
  readonly until: number;
  readonly question: string;
  readonly part: number;
}

/**
 * Asks through the client's own dialog, alike in both protocol eras. An answer counts only once, in time, for its own
 * question, and with a state of this process.
 */
export class Dialog {
  /** Open questions, by the nonce of their state. */
  readonly #open = new Map<string, OpenQuestion>();
  readonly #now: () => number;
  readonly #sign: SignState;

  constructor(now: () => number, sign: SignState) {
    this.#now = now;
    this.#sign = sign;
  }

  /** Whether this client says it can show a form to a person. */
  static isOffered({ capabilities }: Call): boolean {
    const elicitation = capabilities?.elicitation;
    // Before modes were named, an empty object meant forms.
    return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation));
  }

  /** Whether a call carries an answer, or what passes for one. */
  static isAnswer({ request }: Call): boolean {
    return request.requestState<AskState>() !== undefined || request.inputResponses !== undefined;
  }

  /** Shows the first dialog of a question, or the one that a person asked for with `more`. */
  async ask(question: DialogQuestion, part = 0): Promise<InputRequiredResult> {
    const nonce = randomHex(16);
    const now = this.#now();
    for (const [forgotten, { until }] of this.#open) if (until < now) this.#open.delete(forgotten);
    this.#open.set(nonce, { until: now + ANSWER_MS, question: questionKey(question), part });
    return inputRequired({
      inputRequests: {
        answer: inputRequired.elicit({
          message: (question.messages[part] ?? text``).toString(),
          requestedSchema: {
            type: 'object',
            properties: {
              answer: {
                type: 'string',
                title: 'Your decision',
                enum: isLast(question, part) ? answersTo(question) : [noTo(question), MORE],
              },
            },
            required: ['answer'],
          },
        }),
      },
      requestState: await this.#sign({ asked: 'dialog', nonce }),
    });
  }

  /** The answer that a repeated call carries; undefined if it carries none. */
  answer({ request, client }: Call, question: DialogQuestion): DialogAnswer | undefined {
    const carried = request.requestState<AskState>();
    if (carried === undefined)
      return request.inputResponses === undefined ? undefined : { kind: 'void', why: 'forged' };
    const open = this.#take(carried);
    if (open === undefined) return { kind: 'void', why: 'used' };
    const given = request.inputResponses?.answer as { action?: unknown; content?: unknown } | undefined;
    // A cancel may come late: it changes nothing, and the SDK cancels a question in the moment in which it expires.
    if (given?.action === 'accept' && open.until < this.#now()) return { kind: 'void', why: 'expired' };
    if (open.question !== questionKey(question)) return { kind: 'void', why: 'other-question' };

    if (given?.action === 'decline') return { kind: 'unanswered', why: 'declined' };
    if (given?.action !== 'accept') return { kind: 'unanswered', why: 'cancelled' };
    const { content } = given;
    if (typeof content !== 'object' || content === null || !('answer' in content))
      return { kind: 'unanswered', why: 'empty' };
    const name = client === undefined ? null : `${client.name} ${client.version}`;
    if (content.answer === noTo(question))
      return { kind: 'no', no: { channel: 'dialog', level: CHANNELS.dialog, client: name } };
    const { part } = open;
    if (!isLast(question, part)) {
      if (content.answer !== MORE) return { kind: 'unanswered', why: 'wrong-value' };
      return { kind: 'more', part: part + 1 };
    }
    return answered(question, content.answer, name) ?? { kind: 'unanswered', why: 'wrong-value' };
  }

  /** Closes the question that a repeated call answers, whatever the answer is; whether it was open. */
  close({ request }: Call): boolean {
    const carried = request.requestState<AskState>();
    return carried !== undefined && this.#take(carried) !== undefined;
  }

  #take({ nonce }: AskState) {
    const open = this.#open.get(nonce);
    this.#open.delete(nonce);
    return open;
  }
}

/** What an answer in the last dialog means; undefined if it is none of the choices. */
function answered({ shown, rival, yes }: DialogQuestion, answer: unknown, client: string | null) {
  const witness = (what: Shown) => witnessed('dialog', what, { client });
  if (rival === undefined) return answer === yes ? ({ kind: 'yes', consent: witness(shown) } as const) : undefined;
  const { loaded } = rival;
  if (answer === KEEP_BOTH) return { kind: 'keep-both', rival: loaded } as const;
  if (answer !== TAKE_NEW) return undefined;
  const both = { consent: witness(shown), toRival: witness(rival.shown) };
  return { kind: 'take-place', yes: both, rival: loaded } as const;
}

/** The safe answer first. */
function answersTo(question: DialogQuestion): string[] {
  return question.rival === undefined ? [NO, question.yes] : [KEEP_OLD, TAKE_NEW, KEEP_BOTH];
}

function noTo({ rival }: DialogQuestion): string {
  return rival === undefined ? NO : KEEP_OLD;
}

function isLast({ messages }: DialogQuestion, part: number): boolean {
  return part >= messages.length - 1;
}

/** Everything the answer is bound to. If any of it changes, it is another question. */
function questionKey({ shown, rival, reason, messages }: DialogQuestion): string {
  const { verb, id, digest, standing, settles, prompted } = shown;
  const old = rival && [rival.shown.id, rival.shown.digest, rival.shown.standing];
  const parts = [verb, id, digest, standing, settles, prompted ?? null, reason ?? null, messages.length, old ?? null];
  return JSON.stringify(parts);
}
