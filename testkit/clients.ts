import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Client as Client2, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { BARE_ENV, MAIN } from './program.ts';

/** An empty home. */
export interface Home {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Removes the folder and ends every server that a failed test left in it. */
  remove(): void;
  /** Called first by remove(). */
  readonly leftovers: (() => void)[];
}

export function makeHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'surety-test-'));
  const at = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  const leftovers: (() => void)[] = [];
  return {
    folder,
    leftovers,
    env: {
      ...BARE_ENV,
      HOME: folder,
      USERPROFILE: folder,
      XDG_CONFIG_HOME: at('config'),
      XDG_STATE_HOME: at('state'),
      XDG_CACHE_HOME: at('cache'),
      XDG_DATA_HOME: at('data'),
      TMPDIR: at('tmp'),
    },
    remove: () => {
      for (const end of leftovers) end();
      // A server that is just ending may still put something into it.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface StartOptions {
  readonly home: Home;
  /** What Node runs; the server itself unless said otherwise. */
  readonly entry?: string;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  /** The working folder; the home unless said otherwise. */
  readonly cwd?: string;
  /** Whom it runs as, where that is somebody else. */
  readonly uid?: number;
}

/** A server process on real pipes, and all that came out of it. */
export class RunningServer {
  readonly exit: Promise<Exit>;
  readonly stdout: string[] = [];
  stderr = '';
  onLine: ((line: string) => void) | undefined;
  readonly #child: ChildProcessWithoutNullStreams;

  constructor({ home, entry = MAIN, args = [], env = {}, cwd = home.folder, uid }: StartOptions) {
    this.#child = spawn(process.execPath, [entry, ...args], {
      cwd,
      env: { ...home.env, ...env },
      ...(uid !== undefined && { uid, gid: uid }),
    });
    home.leftovers.push(() => this.#child.kill('SIGKILL'));
    this.#child.stdin.on('error', () => {}); // the child may be gone first
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.stdout.push(line);
      this.onLine?.(line);
    });
    // 'close' and not 'exit': by then everything the child wrote has arrived.
    this.exit = new Promise((ended) => this.#child.on('close', (code, signal) => ended({ code, signal })));
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** What a client does that dies: nobody reads the server's answers any more. */
  stopReading(): void {
    this.#child.stdout.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** Lets a client speak to a process the test holds, so that the test sees every line, the exit code and the signal. */
class ServerTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #server: RunningServer;

  constructor(server: RunningServer) {
    this.#server = server;
  }

  async start(): Promise<void> {
    this.#server.onLine = (line) => {
      try {
        this.onmessage?.(JSON.parse(line));
      } catch (reason) {
        this.onerror?.(new Error('not a protocol line', { cause: reason }));
      }
    };
    void this.#server.exit.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#server.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#server.endInput();
    await this.#server.exit;
  }
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  readonly _meta?: unknown;
}

interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
}

interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

interface ListedPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?: readonly { name: string; required?: boolean | undefined }[] | undefined;
}

/** A change the server told of; `uri` is absent where the list itself changed. */
export interface Told {
  readonly method: string;
  readonly uri?: string;
}

/** What both clients do alike. */
interface Calls {
  listTools(): Promise<readonly ListedTool[]>;
  callTool(name: string, input: Record<string, unknown>): Promise<ToolResult>;
  listResources(): Promise<readonly ListedResource[]>;
  listTemplates(): Promise<readonly { uriTemplate: string }[]>;
  readResource(uri: string): Promise<{ text: string; mimeType: string | undefined }>;
  listPrompts(): Promise<readonly ListedPrompt[]>;
  /** The prompt's only message. */
  getPrompt(name: string, args?: Record<string, string>): Promise<string>;
  /** What the server offers for a template's variable. */
  complete(uriTemplate: string, variable: string, beginning: string): Promise<readonly string[]>;
  /** Asks to be told when the list or any of these resources changes, in the era's own way; call the result to stop. */
  follow(uris: readonly string[]): Promise<() => Promise<void>>;
  onNotification(heard: (told: Told) => void): void;
}

export interface Session extends Omit<Calls, 'callTool'> {
  readonly server: RunningServer;
  readonly serverInfo: { name: string; version: string } | undefined;
  readonly instructions: string | undefined;
  callTool(name: string, input?: Record<string, unknown>): Promise<ToolResult>;
  /** Closes stdin and waits until the server has left by itself. */
  close(): Promise<Exit>;
}

export interface Answer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string>;
}

/** Plays the person whom a form elicitation reaches. Without it the client declares that nobody can be asked. */
export type Person = (question: {
  message: string;
  mode?: string | undefined;
  requestedSchema?: unknown;
}) => Answer | Promise<Answer>;

export interface ConnectOptions extends StartOptions {
  readonly person?: Person;
  /** The name that the client gives itself. */
  readonly name?: string;
  /** Whether the client says that it opens addresses too. */
  readonly opensPages?: boolean;
  /** Folders the client says it works in. */
  readonly roots?: readonly string[];
}

const identityOf = ({ name = 'surety-tests' }: ConnectOptions) => ({ name, version: '1.0.0' });

function resultOf(result: Record<string, unknown>): ToolResult {
  const content = result.content as readonly { type: string; text?: string }[];
  return {
    isError: result.isError === true,
    text: content.map((block) => block.text ?? '').join('\n'),
    structured: result.structuredContent,
  };
}

function capabilitiesFor({ person, roots, opensPages }: ConnectOptions) {
  const elicitation = { form: {}, ...(opensPages && { url: {} }) };
  return { capabilities: { ...(person && { elicitation }), ...(roots && { roots: {} }) } };
}

function asRoots(folders: readonly string[]) {
  return { roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href })) };
}

async function connect1(options: ConnectOptions): Promise<Session> {
  const { person, roots } = options;
  const server = new RunningServer(options);
  const client = new Client1(identityOf(options), capabilitiesFor(options));
  if (roots) client.setRequestHandler(ListRootsRequestSchema, async () => asRoots(roots));
  if (person) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ ...(await person(params)) }));
  }
  await client.connect(new ServerTransport(server) as Transport1);
  return sessionOf(server, client, {
    ...shared(client),
    follow: (uris) => subscribe(client, uris),
    onNotification: (heard) => {
      client.setNotificationHandler(ResourceListChangedNotificationSchema, ({ method }) => heard({ method }));
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ method, params }) =>
        heard({ method, uri: params.uri }),
      );
    },
  });
}

async function connect2(mode: 'legacy' | { pin: string }, options: ConnectOptions): Promise<Session> {
  const { person, roots } = options;
  const server = new RunningServer(options);
  const client = new Client2(identityOf(options), { ...capabilitiesFor(options), versionNegotiation: { mode } });
  if (roots) client.setRequestHandler('roots/list', async () => asRoots(roots));
  if (person) client.setRequestHandler('elicitation/create', async ({ params }) => ({ ...(await person(params)) }));
  await client.connect(new ServerTransport(server));
  return sessionOf(server, client, {
    ...shared(client),
    follow: async (uris) => {
      if (mode === 'legacy') return subscribe(client, uris);
      const stream = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [...uris] });
      return () => stream.close();
    },
    onNotification: (heard) => {
      client.setNotificationHandler('notifications/resources/list_changed', ({ method }) => heard({ method }));
      client.setNotificationHandler('notifications/resources/updated', ({ method, params }) =>
        heard({ method, uri: params.uri }),
      );
    },
  });
}

async function subscribe(client: Client1 | Client2, uris: readonly string[]): Promise<() => Promise<void>> {
  for (const uri of uris) await client.subscribeResource({ uri });
  return async () => {
    for (const uri of uris) await client.unsubscribeResource({ uri });
  };
}

/** The calls whose arguments and results are the same in both packages. */
function shared(client: Client1 | Client2): Omit<Calls, 'follow' | 'onNotification'> {
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, input) => resultOf(await client.callTool({ name, arguments: input })),
    listResources: async () => (await client.listResources()).resources,
    listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: async (uri) => {
      const [content] = (await client.readResource({ uri })).contents;
      if (content === undefined || !('text' in content)) throw new Error(`${uri} has no text`);
      return { text: content.text, mimeType: content.mimeType };
    },
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: async (name, args = {}) => {
      const [message] = (await client.getPrompt({ name, arguments: args })).messages;
      if (message?.content.type !== 'text') throw new Error(`${name} says nothing`);
      return message.content.text;
    },
    complete: async (uri, name, value) => {
      const ref = { type: 'ref/resource' as const, uri };
      return (await client.complete({ ref, argument: { name, value } })).completion.values;
    },
  };
}

function sessionOf(server: RunningServer, client: Client1 | Client2, calls: Calls): Session {
  return {
    ...calls,
    server,
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
    callTool: (name, input = {}) => calls.callTool(name, input),
    close: async () => {
      await client.close();
      return server.exit;
    },
  };
}

/** Every client the server must serve alike; use with describe.each. */
export const CLIENTS: readonly { client: string; connect(options: ConnectOptions): Promise<Session> }[] = [
  { client: 'sdk 1.x', connect: connect1 },
  { client: 'client 2.x, handshake', connect: (options) => connect2('legacy', options) },
  { client: 'client 2.x, 2026-07-28', connect: (options) => connect2({ pin: '2026-07-28' }, options) },
];
