import { type InputRequest, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { Outcome } from '../actions/review/answers.ts';
import type { Session } from '../actions/session.ts';
import type { SafeText } from '../core/text/safe-text.ts';
import { randomHex } from '../store/disk/random.ts';
import type { Decision } from '../store/vault/vault.ts';
import type { AskState, SignState } from './ask-state.ts';
import type { Call } from './define.ts';

/** The page as a tool reaches it; the server wires it in, since doors do not import one another. */
export type OpenPage = (session: Session, id: string, client: string | null) => Promise<PageInUse>;

export interface PageInUse {
  readonly url: string;
  /** What the person decided about the one thing it was opened for, or how it ended without. */
  readonly answered: Promise<Outcome | { readonly kind: 'unanswered'; readonly how: string }>;
  /** The client's accept; before it nothing that is answered on the page counts. */
  accepted(): void;
  close(): Promise<void>;
}

/** What came of sending somebody to the page. */
export type PageAnswer =
  | Outcome
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'unanswered'; readonly why: 'cancelled' | 'declined' | 'left' | 'voided' };

interface Sent {
  readonly verb: Decision;
  readonly id: string;
  readonly page: PageInUse;
  readonly elicitation: string;
}

/** Pages one process keeps open; the oldest gives way. */
const MOST_PAGES = 3;
const STILL_HERE_MS = 15_000;

/**
 * Sends the person to the page by URL elicitation, in both eras. The client's `accept` says that it sent them there, and lets
 * count what is decided on the page; what that is, this hears from the page.
 */
export class PageAsk {
  readonly #open: OpenPage;
  readonly #sent = new Map<string, Sent>();

  readonly #sign: SignState;

  constructor(open: OpenPage, sign: SignState) {
    this.#open = open;
    this.#sign = sign;
  }

  /** Whether this client says it can send a person to an address. */
  static isOffered({ capabilities }: Call): boolean {
    return capabilities?.elicitation !== undefined && 'url' in capabilities.elicitation;
  }

  /** `answered` is called if the person decides, also after the client has given up its call. */
  async ask(
    session: Session,
    verb: Decision,
    id: string,
    message: SafeText,
    call: Call,
    answered: () => void,
  ): Promise<InputRequiredResult> {
    for (const [state, sent] of this.#sent) {
      if (sent.id === id || this.#sent.size >= MOST_PAGES) await this.#forget(state, sent);
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

  /** What came of it, for a call that carries our state; undefined for any other call. Waits for the person. */
  async answer(verb: Decision, id: string, call: Call): Promise<PageAnswer | 'unknown' | undefined> {
    const carried = call.request.requestState<AskState>();
    if (carried?.asked !== 'page') return undefined;
    const state = carried.nonce;
    const sent = this.#sent.get(state);
    if (sent === undefined || sent.verb !== verb || sent.id !== id) return 'unknown';
    const given = call.request.inputResponses?.page as { action?: unknown } | undefined;
    if (given?.action !== 'accept') {
      await this.#forget(state, sent);
      // With an accept that came before, whose call the client gave up, the person may have decided.
      const decided = await sent.page.answered;
      if (decided.kind !== 'unanswered') return decided;
      return { kind: 'unanswered', why: given?.action === 'decline' ? 'declined' : 'cancelled' };
    }
    sent.page.accepted();
    const outcome = await this.#wait(sent, call);
    if (outcome === 'gone') return { kind: 'unanswered', why: 'cancelled' };
    this.#sent.delete(state);
    if (isHandshake(call)) await complete(call, sent.elicitation);
    if (outcome.kind !== 'unanswered') return outcome;
    // The page had nothing to ask: somebody settled it in a terminal or on another page meanwhile.
    if (outcome.how === 'finished') return { kind: 'elsewhere' };
    const why = outcome.how === 'voided' || outcome.how === 'left' ? outcome.how : 'cancelled';
    return { kind: 'unanswered', why };
  }

  /** As long as the person takes; a client that asked for progress hears that somebody is still there. */
  async #wait({ page }: Sent, { request }: Call): Promise<Awaited<PageInUse['answered']> | 'gone'> {
    const token = (request._meta as { progressToken?: string | number } | undefined)?.progressToken;
    let progress = 0;
    const tell = () =>
      void request
        .notify({ method: 'notifications/progress', params: { progressToken: token, progress: ++progress } })
        .catch(() => {});
    const beat = token === undefined ? undefined : setInterval(tell, STILL_HERE_MS);
    const gone = new Promise<'gone'>((resolve) => {
      request.signal.addEventListener('abort', () => resolve('gone'), { once: true });
    });
    try {
      return await Promise.race([page.answered, gone]);
    } finally {
      clearInterval(beat);
    }
  }

  async #forget(state: string, { page }: Sent): Promise<void> {
    this.#sent.delete(state);
    await page.close();
  }
}

/** Since 2026-07-28 every request says who sends it; before, only the handshake did. */
function isHandshake({ request }: Call): boolean {
  return request.envelope === undefined;
}

/**
 * Clients of the handshake era are told by this name when the page is done. The later era has no such message, yet some of
 * its clients cannot read a question without the name and hand it to their model as a result.
 */
function named(asked: InputRequest, elicitationId: string): InputRequest {
  return { ...asked, params: { ...asked.params, elicitationId } } as InputRequest;
}

async function complete({ request }: Call, elicitationId: string): Promise<void> {
  // A courtesy: a client that cannot take it still gets the result.
  await request.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } }).catch(() => {});
}
