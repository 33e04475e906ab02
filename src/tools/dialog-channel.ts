import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { SafeText } from '../core/text/safe-text.ts';
import { CHANNELS, type Shown, type UserConsent, type UserNo, witnessed } from '../core/trust/consent.ts';
import { randomHex } from '../store/disk/random.ts';
import type { Call } from './define.ts';

/**
 * The state of a question, which the client returns with the answer. The SDK signs it with a key of this process and rejects
 * any other state, so a tool only sees states from this process.
 */
export type AskState = { readonly asked: 'dialog' | 'page'; readonly nonce: string };

export type SignState = (state: AskState) => Promise<string>;

/** How long a person may take to answer. */
const ANSWER_WITHIN = 10 * 60_000;
/** The safe answer comes first, because some clients preselect the first; there is no default. */
const NO = 'no, leave it as it is';

/** Only `yes` changes anything. `no` is a person's answer; the others mean that nobody answered. */
export type DialogAnswer =
  | { readonly kind: 'yes'; readonly consent: UserConsent }
  | { readonly kind: 'no'; readonly no: UserNo }
  | { readonly kind: 'unanswered'; readonly why: 'cancelled' | 'declined' | 'empty' | 'wrong-value' }
  | { readonly kind: 'void'; readonly why: 'forged' | 'expired' | 'used' | 'other-question' };

/** A question, bound to exactly what is on the screen. */
export interface DialogQuestion {
  readonly shown: Shown;
  readonly message: SafeText;
  /** The agent's reason. It is part of the question, because it was shown and is signed into the decision. */
  readonly reason?: string | undefined;
  /** The choice that means yes, such as `yes, make it verified`. */
  readonly yes: string;
}

interface OpenQuestion {
  readonly until: number;
  readonly question: string;
}

/**
 * Asks through the client's own dialog, alike in both protocol eras. An answer counts only once, in time, for its own
 * question, and with a state of this process.
 */
export class Dialog {
  /** OpenQuestion questions, by the nonce of their state. */
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

  async ask({ shown, message, reason, yes }: DialogQuestion): Promise<InputRequiredResult> {
    const nonce = randomHex(16);
    const now = this.#now();
    for (const [forgotten, { until }] of this.#open) if (until < now) this.#open.delete(forgotten);
    this.#open.set(nonce, { until: now + ANSWER_WITHIN, question: questionKey(shown, reason) });
    return inputRequired({
      inputRequests: {
        answer: inputRequired.elicit({
          message: message.toString(),
          requestedSchema: {
            type: 'object',
            properties: { answer: { type: 'string', title: 'Your decision', enum: [NO, yes] } },
            required: ['answer'],
          },
        }),
      },
      requestState: await this.#sign({ asked: 'dialog', nonce }),
    });
  }

  /** The answer that a repeated call carries; undefined if it carries none. */
  answer({ request, client }: Call, { shown, reason, yes }: Omit<DialogQuestion, 'message'>): DialogAnswer | undefined {
    const carried = request.requestState<AskState>();
    if (carried === undefined)
      return request.inputResponses === undefined ? undefined : { kind: 'void', why: 'forged' };
    const open = this.#open.get(carried.nonce);
    if (!this.#open.delete(carried.nonce) || open === undefined) return { kind: 'void', why: 'used' };
    if (open.until < this.#now()) return { kind: 'void', why: 'expired' };
    if (open.question !== questionKey(shown, reason)) return { kind: 'void', why: 'other-question' };

    const given = request.inputResponses?.answer as { action?: unknown; content?: unknown } | undefined;
    if (given?.action === 'decline') return { kind: 'unanswered', why: 'declined' };
    if (given?.action !== 'accept') return { kind: 'unanswered', why: 'cancelled' };
    const { content } = given;
    if (typeof content !== 'object' || content === null || !('answer' in content))
      return { kind: 'unanswered', why: 'empty' };
    const name = client === undefined ? null : `${client.name} ${client.version}`;
    if (content.answer === NO) return { kind: 'no', no: { channel: 'dialog', level: CHANNELS.dialog, client: name } };
    if (content.answer !== yes) return { kind: 'unanswered', why: 'wrong-value' };
    return { kind: 'yes', consent: witnessed('dialog', shown, { client: name }) };
  }
}

/** Everything the answer is bound to. If any of it changes, it is another question. */
function questionKey({ verb, id, digest, standing, settles, prompted }: Shown, reason: string | undefined): string {
  return JSON.stringify([verb, id, digest, standing, settles, prompted ?? null, reason ?? null]);
}
