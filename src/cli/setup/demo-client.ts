import type { ServerProcess } from '../../store/programs/demo-home.ts';
import { VERSION } from '../../version.ts';

/** A tool's answer, as a model reads it. */
export interface ToolReply {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** Shows the server's question and choices to the person; undefined if nobody answers. */
type AskPerson = (message: string, choices: readonly string[]) => Promise<string | undefined>;

type Json = Readonly<Record<string, unknown>>;

const PROTOCOL = '2025-11-25';

/** A minimal MCP client over the pipes of a real server, which passes the server's questions to the person. */
export class DemoClient {
  readonly #server: ServerProcess;
  readonly #asked: AskPerson;
  readonly #waiting = new Map<number, (answer: Json) => void>();
  #last = 0;

  constructor(server: ServerProcess, asked: AskPerson) {
    this.#server = server;
    this.#asked = asked;
    server.onLine((line) => void this.#hear(JSON.parse(line) as Json));
    void server.ended.then(() => {
      for (const answer of this.#waiting.values()) answer({ error: 'the server has left' });
    });
  }

  async open(): Promise<void> {
    await this.#request('initialize', {
      protocolVersion: PROTOCOL,
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: 'surety-demo', version: VERSION },
    });
    this.#send({ method: 'notifications/initialized' });
  }

  async call(name: string, input: Json): Promise<ToolReply> {
    const result = await this.#request('tools/call', { name, arguments: input });
    const content = (result.content ?? []) as readonly { readonly text?: string }[];
    return {
      text: content.map(({ text }) => text ?? '').join('\n'),
      structured: (result.structuredContent ?? {}) as Json,
    };
  }

  close(): Promise<void> {
    return this.#server.end();
  }

  async #request(method: string, params: Json): Promise<Json> {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise<Json>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params });
    const { result } = await answered;
    this.#waiting.delete(id);
    if (typeof result !== 'object' || result === null) throw new Error(`the demo's server did not answer ${method}`);
    return result as Json;
  }

  async #hear({ id, method, params, ...answer }: Json): Promise<void> {
    if (method === undefined) this.#waiting.get(Number(id))?.(answer);
    else if (method === 'elicitation/create') this.#send({ id, result: await this.#elicited(params as Json) });
    else if (id !== undefined) this.#send({ id, error: { code: -32601, message: 'not known to the demo' } });
  }

  async #elicited({ message, requestedSchema }: Json): Promise<Json> {
    const schema = requestedSchema as { readonly properties?: { readonly answer?: { readonly enum?: string[] } } };
    const answer = await this.#asked(String(message), schema.properties?.answer?.enum ?? []);
    return answer === undefined ? { action: 'cancel' } : { action: 'accept', content: { answer } };
  }

  #send(message: Json): void {
    this.#server.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}
