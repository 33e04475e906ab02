import { Console } from 'node:console';
import { type McpServer, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { plainError } from './tools/error-replies.ts';

type Delivery = NonNullable<StdioServerTransport['onmessage']>;

/** What is called while a client is connected. */
export interface ConnectionWatcher {
  /** Sees every incoming message before the SDK does. */
  intercept(deliver: Delivery): Delivery;
  /** Called after the first message to the client. */
  answered(): void;
  /** Called once the client is gone. */
  ended(): Promise<unknown>;
}

/** Closing takes at most a second, because a server must not outlive its client. */
const CLOSING_MS = 1_000;

/**
 * At most 1,000 characters in a name or address, because ours have under 100 and the SDK searches and repeats longer ones.
 */
const LONGEST_NAME = 1_000;
const OVERSIZED = `A name or an address in this request is longer than ${LONGEST_NAME} characters; nothing here has one that long.`;

/** Whether a request names a tool, a prompt or a resource by an oversized name. */
function holdsOversized(message: Parameters<Delivery>[0]): boolean {
  const { params } = message as { params?: Record<string, Record<string, unknown> | undefined> };
  const named = [params?.uri, params?.name, params?.ref?.uri, params?.ref?.name, params?.argument?.value];
  return named.some((each: unknown) => typeof each === 'string' && each.length > LONGEST_NAME);
}

/** The SDK names an error after zod where it could not parse a message. */
function troubleOf({ name }: Error): string {
  if (name === 'ZodError') return 'a message from the client was not understood and was ignored.';
  return `the connection reported a ${name}`;
}

/** Speaks MCP over stdin and stdout until the client goes away. `build` makes the server that answers. */
export function serveOverStdio(build: () => McpServer, watcher?: ConnectionWatcher): void {
  // A line that any library prints to stdout would break the protocol.
  globalThis.console = new Console(process.stderr, process.stderr);
  const transport = new StdioServerTransport();
  const send = transport.send.bind(transport);
  let isAnswered = false;
  transport.send = (message) => {
    const sent = send(plainError(message));
    if (!isAnswered) watcher?.answered();
    isAnswered = true;
    return sent;
  };
  const connection = serveStdio(build, {
    transport,
    // The error's message can quote what was sent, so it is not logged.
    onerror: (error) => process.stderr.write(`surety: ${troubleOf(error)}\n`),
  });
  const deliver = transport.onmessage;
  if (deliver) {
    const pass = watcher ? watcher.intercept(deliver) : deliver;
    transport.onmessage = (message) => {
      if (!holdsOversized(message)) pass(message);
      else if ('id' in message && message.id !== undefined) {
        const error = { code: ProtocolErrorCode.InvalidParams, message: OVERSIZED, data: { reason: 'invalid-input' } };
        void transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {}); // the client is gone
      }
    };
  }
  endWith(() => Promise.all([connection.close(), watcher?.ended()]));
}

/** Some clients close stdin, some send a signal and leave stdin open, some crash: each ends this process. */
function endWith(close: () => Promise<unknown>): void {
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    const leave = () => process.exit(0);
    setTimeout(leave, CLOSING_MS);
    close().then(leave, leave);
  };
  for (const gone of ['end', 'close', 'error']) process.stdin.once(gone, end);
  process.stdout.on('error', end);
  process.stderr.on('error', () => {}); // a closed stderr is no reason to exit
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
}
