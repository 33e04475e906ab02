import { type InputRequest, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { AnswerOutcome } from '../actions/review/answers.ts';
import type { Session } from '../actions/session.ts';
import type { SafeText } from '../core/text/safe-text.ts';
import { randomHex } from '../store/disk/random.ts';
import type { Decision } from '../store/vault/vault.ts';
import type { Call } from './define.ts';
import type { AskState, SignState } from './dialog-channel.ts';

/** The page as tools see it. The server connects it, because doors do not import one another. */
type OpenPage = (session: Session, id: string, client: string | null) => Promise<PageInUse>;

export interface PageInUse {
  readonly url: string;
  /** What the person decided about the memory it was opened for, or how the page ended without a decision. */
  readonly answered: Promise<AnswerOutcome | { readonly kind: 'unanswered'; readonly how: string }>;
  /** Records the client's accept. No answer on the page counts before it. */
  accepted(): void;
  /** Tells the open tabs why, and resolves when they know. */
  close(why?: 'declined' | 'cancelled' | 'replaced'): Promise<void>;
}

export type PageAnswer =
  | AnswerOutcome
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'unanswered'; readonly why: 'cancelled' | 'not-opened' | 'left' | 'voided' };

interface Sent {
  readonly verb: Decision;
  readonly id: string;
  readonly page: PageInUse;
  readonly elicitation: string;
}

/** At most 3 open pages a process; the oldest is closed first. */
const MOST_PAGES = 3;
const PROGRESS_MS = 15_000;

/**
 * Sends the person to the page by URL elicitation, in both eras. The client's `accept` only makes the page's answers count;
 * the decision itself comes from the page.
 */
export class PageAsk {
  readonly #open: OpenPage;
  readonly #sent = new Map<string, Sent>();

  readonly #sign: SignState;

  constructor(open: OpenPage, sign: SignState) {
    this.#open = open;
    this.#sign = sign;
  }

  /** Whether this client says it can open an address for a person. */
  static isOffered({ capabilities }: Call): boolean {
    return capabilities?.elicitation !== undefined && 'url' in capabilities.elicitation;
  }

  /** `answered` is called when the person decides, even after the client has given up the call. */
  async ask(
    session: Session,
    verb: Decision,
    id: string,
    message: SafeText,
    call: Call,
    answered: () => void,
  ): Promise<InputRequiredResult> {
    for (const [state, sent] of this.#sent) {
      if (sent.id === id || this.#sent.size >= MOST_PAGES) await this.#forget(state, sent, 'replaced');
    }
    const client = call.client === undefined ? null : `${call.client.name} ${call.client.version}`;
    const page = await this.#open(session, id, client);
    const [state, elicitation] = [randomHex(16), randomHex(16)];
    this.#sent.set(state, { verb, id, page, elicitation });
    void page.answered.then(({ kind }) => {
      if (kind !== 'unanswered' && kind !== 'skipped') answered();
    });
    const asked = inputRequired.elicitUrl({ message: message.toString(), url: page.url });
    return inputRequired({
      inputRequests: { page: named(asked, elicitation) },
      requestState: await this.#sign({ asked: 'page', nonce: state }),
    });
  }

  /** Waits for the person and returns the outcome; undefined for a call without our state. */
  async answer(verb: Decision, id: string, call: Call): Promise<PageAnswer | 'unknown' | undefined> {
    const carried = call.request.requestState<AskState>();
    if (carried?.asked !== 'page') return undefined;
    const state = carried.nonce;
    const sent = this.#sent.get(state);
    if (sent === undefined || sent.verb !== verb || sent.id !== id) return 'unknown';
    const given = call.request.inputResponses?.page as { action?: unknown } | undefined;
    if (given?.action !== 'accept') {
      const why = given?.action === 'decline' ? 'declined' : 'cancelled';
      await this.#forget(state, sent, why);
      // The client may have accepted in an earlier call that it gave up, so the person may have decided.
      const decided = await sent.page.answered;
      if (decided.kind !== 'unanswered') return decided;
      return { kind: 'unanswered', why: why === 'declined' ? 'not-opened' : why };
    }
    sent.page.accepted();
    const outcome = await this.#wait(sent, call);
    if (outcome === 'gone') return { kind: 'unanswered', why: 'cancelled' };
    this.#sent.delete(state);
    if (isHandshake(call)) await complete(call, sent.elicitation);
    if (outcome.kind !== 'unanswered') return outcome;
    // The page had no question left: the memory was settled in a terminal or on another page.
    if (outcome.how === 'finished') return { kind: 'elsewhere' };
    const why = outcome.how === 'voided' || outcome.how === 'left' ? outcome.how : 'cancelled';
    return { kind: 'unanswered', why };
  }

  /** Waits as long as the person takes. A client that asked for progress is notified meanwhile. */
  async #wait({ page }: Sent, { request }: Call): Promise<Awaited<PageInUse['answered']> | 'gone'> {
    const token = (request._meta as { progressToken?: string | number } | undefined)?.progressToken;
    let progress = 0;
    const tell = () => {
      // Clients show the bare number where there is no message.
      const params = { progressToken: token, progress: ++progress, message: 'The person is reading the page.' };
      void request.notify({ method: 'notifications/progress', params }).catch(() => {});
    };
    if (token !== undefined) tell();
    const timer = token === undefined ? undefined : setInterval(tell, PROGRESS_MS);
    const gone = new Promise<'gone'>((resolve) => {
      request.signal.addEventListener('abort', () => resolve('gone'), { once: true });
    });
    try {
      return await Promise.race([page.answered, gone]);
    } finally {
      clearInterval(timer);
    }
  }

  async #forget(state: string, { page }: Sent, why: 'declined' | 'cancelled' | 'replaced'): Promise<void> {
    this.#sent.delete(state);
    await page.close(why);
  }
}

/** Since 2026-07-28 every request names its sender; before, only the handshake did. */
function isHandshake({ request }: Call): boolean {
  return request.envelope === undefined;
}

/**
 * Adds the elicitation's id. Clients of the handshake era need it for the completion notification. The later era has no such
 * notification, but some of its clients cannot read a question without an id and hand it to their model.
 */
function named(asked: InputRequest, elicitationId: string): InputRequest {
  return { ...asked, params: { ...asked.params, elicitationId } } as InputRequest;
}

async function complete({ request }: Call, elicitationId: string): Promise<void> {
  // Optional: a client that cannot take the notification still gets the result.
  await request.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } }).catch(() => {});
}
