import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { Refusal } from '../core/refusal.ts';
import { asDiskRefusal } from '../store/disk/disk-errors.ts';
import { contentOf, type Resource, refused, resourceFor } from './define.ts';

const MOST_FOLLOWED = 1_000;
/** In characters; the longest address of ours has under 100. */
const LONGEST_FOLLOWED = 1_000;

const NONE = new Refusal('no-such-memory', 'There is no such resource; resources/list names what there is.');
const TOO_MANY = new Refusal('queue-full', `At most ${MOST_FOLLOWED} resources can be followed.`);

/** Any fixed one: two readings are compared, and neither is shown. */
const NONCE = '';

/**
 * Tells the client what changed of what it can see: the list, and the resources it follows. A client of the handshake eras
 * says so by resources/subscribe. Since 2026-07-28 it opens a stream by subscriptions/listen, which the SDK answers by
 * itself and filters by; so the messages are read here in passing.
 */
export class Subscriptions<Context> {
  readonly #resources: readonly Resource<Context>[];
  readonly #context: Context;
  /** What each followed resource said last, as a digest. */
  readonly #followed = new Map<string, string>();
  #list = '';
  #server: McpServer | undefined;

  constructor(resources: readonly Resource<Context>[], context: Context) {
    this.#resources = resources;
    this.#context = context;
  }

  /** A process serves one client; where the SDK builds a second server, the first one was only asked for its versions. */
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
   * Passes messages on, a request to follow resources only once it is known what they say now: a change right after it
   * was granted must be noticed. What cancels it keeps its place behind it.
   */
  reading(deliver: (message: JSONRPCMessage) => void): (message: JSONRPCMessage) => void {
    let order = Promise.resolve();
    return (message) => {
      const method = 'method' in message ? message.method : undefined;
      if (method === 'subscriptions/listen') {
        const followed = order.then(() => this.#followAll(urisIn(message)));
        // Following is ours to fail at; the stream itself is the SDK's.
        order = followed.catch(() => {}).then(() => deliver(message));
      } else if (method === 'notifications/cancelled') order = order.then(() => deliver(message));
      else deliver(message);
    };
  }

  /** From here on changes count. */
  async begin(): Promise<void> {
    // Where it cannot be listed now, the first look that can counts as a change.
    this.#list = await this.#listNow().catch(() => '');
  }

  /** Compares with what was last known and tells the differences. */
  async tell(): Promise<void> {
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

  /** What cannot be read says so: a memory that is verified no more has changed for whoever follows it. */
  async #contentNow(uri: string): Promise<string> {
    const resource = resourceFor(this.#resources, uri);
    if (resource === undefined) return '';
    try {
      return await digest(await contentOf(resource, this.#context, uri, NONCE));
    } catch (thrown) {
      const refusal = asDiskRefusal(thrown);
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

/** The URIs a subscriptions/listen asks for; the SDK checks the message, so anything odd is simply not ours. */
function urisIn(message: JSONRPCMessage): readonly string[] {
  const { params } = message as { params?: { notifications?: { resourceSubscriptions?: unknown } } };
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string' && uri.length <= LONGEST_FOLLOWED) : [];
}
