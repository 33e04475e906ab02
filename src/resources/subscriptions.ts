import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { Refusal } from '../core/refusal.ts';
import { asSystemRefusal } from '../core/system-errors.ts';
import { contentOf, type Resource, refused, resourceFor } from './define.ts';

const MOST_FOLLOWED = 1_000;
/** At most 1,000 characters, because ours have under 100. */
const LONGEST_FOLLOWED = 1_000;

const NONE = new Refusal('no-such-memory', 'There is no such resource; resources/list names what there is.');
const TOO_MANY = new Refusal('queue-full', `At most ${MOST_FOLLOWED} resources can be followed.`);

/** Fixed, because contents are only compared and never shown. */
const NONCE = '';

/**
 * Notifies the client of changes in the list and in the resources it follows. Clients of the handshake eras follow by
 * resources/subscribe. Since 2026-07-28 a client opens a stream with subscriptions/listen. The SDK answers and filters that
 * stream by itself, so this class only reads the messages.
 */
export class Subscriptions<Context> {
  readonly #resources: readonly Resource<Context>[];
  readonly #context: Context;
  /** The digest of each followed resource's last known content. */
  readonly #followed = new Map<string, string>();
  #list = '';
  #server: McpServer | undefined;

  constructor(resources: readonly Resource<Context>[], context: Context) {
    this.#resources = resources;
    this.#context = context;
  }

  /** A process serves one client. If the SDK builds a second server, it asked the first one only for its versions. */
  serve(server: McpServer): void {
    this.#server = server;
    server.server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
    server.server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
      if (resourceFor(this.#resources, uri) === undefined) throw refused(NONE, 'memory://');
      if (this.#followed.size >= MOST_FOLLOWED) throw refused(TOO_MANY, uri);
      await this.#follow(uri);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
      this.#followed.delete(uri);
      return {};
    });
  }

  /**
   * Delays a subscriptions/listen until the current contents are known, so that a change right after it is noticed. A
   * cancellation stays behind the message it cancels.
   */
  intercept(deliver: (message: JSONRPCMessage) => void): (message: JSONRPCMessage) => void {
    let order = Promise.resolve();
    return (message) => {
      const method = 'method' in message ? message.method : undefined;
      if (method === 'subscriptions/listen') {
        const followed = order.then(() => this.#followAll(urisIn(message)));
        // If following fails, the stream still opens, because it is the SDK's.
        order = followed.catch(() => {}).then(() => deliver(message));
      } else if (method === 'notifications/cancelled') order = order.then(() => deliver(message));
      else deliver(message);
    };
  }

  /** Changes count from here on. */
  async begin(): Promise<void> {
    // If listing fails now, the first list that succeeds counts as a change.
    this.#list = await this.#listNow().catch(() => '');
  }

  /** Compares with the last known state and notifies the client of the differences. */
  async notifyChanges(): Promise<void> {
    const list = await this.#listNow();
    if (list !== this.#list) {
      this.#list = list;
      await this.#send((server) => server.server.sendResourceListChanged());
    }
    for (const [uri, before] of [...this.#followed]) {
      const now = await this.#contentNow(uri);
      if (now === before || !this.#followed.has(uri)) continue;
      this.#followed.set(uri, now);
      await this.#send((server) => server.server.sendResourceUpdated({ uri }));
    }
  }

  async #followAll(uris: readonly string[]): Promise<void> {
    for (const uri of uris) {
      const ours = resourceFor(this.#resources, uri) !== undefined;
      if (ours && !this.#followed.has(uri) && this.#followed.size < MOST_FOLLOWED) await this.#follow(uri);
    }
  }

  async #follow(uri: string): Promise<void> {
    this.#followed.set(uri, await this.#contentNow(uri));
  }

  async #listNow(): Promise<string> {
    const lists = this.#resources.map(async ({ list }) => (list === undefined ? [] : list(this.#context)));
    return digest(JSON.stringify(await Promise.all(lists)));
  }

  /** A refusal is content too: a memory that is no longer verified has changed for its followers. */
  async #contentNow(uri: string): Promise<string> {
    const resource = resourceFor(this.#resources, uri);
    if (resource === undefined) return '';
    try {
      return await digest(await contentOf(resource, this.#context, uri, NONCE));
    } catch (thrown) {
      const refusal = asSystemRefusal(thrown);
      if (refusal instanceof Refusal) return digest(refusal.message);
      throw thrown;
    }
  }

  async #send(notify: (server: McpServer) => Promise<void>): Promise<void> {
    if (this.#server?.isConnected()) await notify(this.#server).catch(() => {}); // the client is gone
  }
}

async function digest(said: string): Promise<string> {
  const { sha256 } = await import('../core/memory/memory.ts');
  return sha256(said);
}

/** The URIs of a subscriptions/listen. The SDK validates the message, so malformed ones are ignored here. */
function urisIn(message: JSONRPCMessage): readonly string[] {
  const { params } = message as { params?: { notifications?: { resourceSubscriptions?: unknown } } };
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string' && uri.length <= LONGEST_FOLLOWED) : [];
}
