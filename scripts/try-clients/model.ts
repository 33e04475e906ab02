import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BRIDGE, DIALECTS, type Dialect, type ScriptedCall, type Turn } from './dialects.ts';

/** What the model does after a prompt that holds these words: one call after the other, then it says the last words. */
export interface ScriptedTurn {
  readonly words: string;
  readonly calls: readonly ScriptedCall[];
  readonly last: string;
}

export type Script = readonly ScriptedTurn[];

/** A model that follows a script, on loopback, for the APIs that coding agents speak. */
export interface ScriptedModel {
  readonly url: string;
  /** The text of everything the model was sent, one text a request. */
  readonly sent: readonly string[];
  close(): void;
}

export function startModel(script: Script): Promise<ScriptedModel> {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, script, sent);
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const close = () => {
        server.close();
        server.closeAllConnections();
      };
      resolve({ url: `http://127.0.0.1:${port}`, sent, close });
    }),
  );
}

async function answer(request: IncomingMessage, response: ServerResponse, script: Script, sent: string[]) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = request.url ?? '';
  const dialect = DIALECTS.find((each) => each.path.test(path));
  if (dialect === undefined || request.method !== 'POST') {
    // Catalogues of models, telemetry and the like: nothing that a client needs.
    response.writeHead(request.method === 'GET' ? 200 : 404, { 'content-type': 'application/json' }).end('{"data":[]}');
    return;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  sent.push(text);
  const body = JSON.parse(text);
  const turn = nextTurn(dialect, body, script);
  const { type, text: reply } = dialect.reply(body, turn, path);
  response.writeHead(200, { 'content-type': type }).end(reply);
}

function nextTurn(dialect: Dialect, body: unknown, script: Script): Turn {
  const { tools, messages } = dialect.read(body);
  const isScripted = (text = '') => script.find(({ words }) => text.includes(words));
  const from = messages.findLastIndex(({ user }) => isScripted(user) !== undefined);
  const { calls = [], last = '' } = isScripted(messages[from]?.user) ?? {};
  const results = messages.slice(from + 1).flatMap(({ result }) => result ?? []);
  const call = calls[results.filter((name) => calls.some(({ tool }) => name.endsWith(tool))).length];
  // Requests without tools ask for the title of a conversation and the like.
  if (call === undefined || tools.length === 0) return { say: tools.length === 0 ? 'Memories' : last };
  const name = tools.find((each) => each.endsWith(call.tool));
  if (name !== undefined) return { call: { ...call, name } };
  if (tools.includes(BRIDGE)) return { call: { ...call, name: `mcp__surety__${call.tool}`, through: BRIDGE } };
  if (!tools.includes(LOADER) || results.filter((each) => each === LOADER).length > 2 * calls.length) {
    return { say: `There is no tool ${call.tool}.` };
  }
  const query = `select:mcp__surety__${call.tool},mcp__plugin_surety_surety__${call.tool}`;
  return { call: { tool: LOADER, name: LOADER, args: { query, max_results: 5 } } };
}

/** The tool of Claude Code that loads other tools. */
const LOADER = 'ToolSearch';
