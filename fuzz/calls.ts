import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Answer, Wire } from '../testkit/wire.ts';
import { hostileText, jsonValue, query } from './arbitraries.ts';
import { hold, type Property } from './property.ts';

const words = hostileText.map((text) => text.toWellFormed());
const tool = fc.constantFrom(
  ...[
    'search_memories',
    'read_memory',
    'propose_memory',
    'promote',
    'adopt',
    'demote',
    'restore',
    'reaffirm',
    'review_queue',
  ],
  'no_such_tool',
);
/** Often what the tool asks for with one thing wrong, sometimes anything at all. */
const args = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('user', 'project', 'verified', ''),
      name: words,
      description: words,
      body: fc.oneof(
        words,
        words.map((text) => `A body that is long enough for a memory. ${text}`),
      ),
      tags: fc.array(words, { maxLength: 14 }),
      project: words,
      replaces: words,
      'trust-level': fc.constant('verified'),
    },
    { requiredKeys: ['type', 'name', 'description', 'body'] },
  ),
  fc.record(
    { query: query.map((text) => text.toWellFormed()), limit: fc.integer({ min: -1, max: 30 }) },
    { requiredKeys: ['query'] },
  ),
  fc.record(
    { id: fc.oneof(words, fc.constantFrom('user_known', '../user_known', 'USER_KNOWN')), reason: words },
    { requiredKeys: ['id'] },
  ),
  jsonValue,
);
const uri = fc.oneof(
  fc.constantFrom(
    'memory://context',
    'memory://verified',
    'memory://review',
    'memory://status',
    'memory://verified/page/2',
  ),
  words.map((text) => `memory://verified/${text}`),
  words,
);
type Request = readonly [method: string, params: unknown];
const request: fc.Arbitrary<Request> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(tool, args).map(([name, given]): Request => ['tools/call', { name, arguments: given }]),
  },
  { weight: 2, arbitrary: uri.map((each): Request => ['resources/read', { uri: each }]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('remember', 'memory-review', 'no'), jsonValue)
      .map(([name, given]): Request => ['prompts/get', { name, arguments: given }]),
  },
  {
    weight: 1,
    arbitrary: words.map(
      (value): Request => [
        'completion/complete',
        { ref: { type: 'ref/resource', uri: 'memory://verified/{id}' }, argument: { name: 'id', value } },
      ],
    ),
  },
  // Parameters are an object: what has others is no request, and nobody answers it.
  {
    weight: 1,
    arbitrary: fc.tuple(
      words,
      jsonValue.map((value) => ({ value })),
    ),
  },
);

const KNOWN = {
  type: 'user',
  name: 'Known',
  description: 'A memory that is there',
  body: 'Something that was proposed before all this, and stays.',
};

/** The tools, resources and prompts of a real server, over its pipes. */
export const calls: readonly Property[] = [
  {
    title: 'every request is answered in the protocol’s way, none is a bug, and nothing rises',
    runs: 60,
    begin: async (main) => {
      const home = mkdtempSync(join(tmpdir(), 'surety-fuzz-'));
      const start = { command: process.execPath, args: [main], cwd: join(home, 'work'), env: { HOME: home } };
      let wire = await Wire.open(start);
      await wire.mustCall('propose_memory', KNOWN);
      let count = 0;
      const property = fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 6 }), async (requests) => {
        // The budget of proposals is for one session.
        if (++count % 40 === 0) {
          await wire.close();
          wire = await Wire.open(start);
        }
        const answers = await Promise.all(requests.map(([method, params]) => inTime(wire.ask(method, params))));
        for (const [at, answer] of answers.entries()) holdAnswer(requests[at] ?? ['', null], answer);
        const known = await wire.mustCall('read_memory', { id: 'user_known' });
        hold((known.structuredContent as { tier: string }).tier === 'inferred', 'the memory is not inferred any more');
        hold(!/"to":"verified"/.test(ledgerOf(home)), 'something was verified');
      });
      return {
        property,
        end: async () => {
          await wire.close();
          rmSync(home, { recursive: true, force: true });
        },
      };
    },
  },
  {
    title: 'lines that are no requests end nothing: the next request is answered',
    runs: 40,
    begin: async (main) => {
      const home = mkdtempSync(join(tmpdir(), 'surety-fuzz-'));
      const start = { command: process.execPath, args: [main], cwd: join(home, 'work'), env: { HOME: home } };
      const wire = await Wire.open(start);
      const line = fc.oneof(
        words,
        fc.json(),
        jsonValue.map((value) => JSON.stringify({ jsonrpc: '2.0', ...Object(value) })),
      );
      const property = fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
        for (const each of lines) wire.write(`${each.replaceAll(/[\r\n]/g, ' ')}\n`);
        const { kind } = await inTime(wire.ask('tools/list', {}));
        hold(kind === 'said', `the server is ${kind}`);
      });
      return {
        property,
        end: async () => {
          await wire.close();
          rmSync(home, { recursive: true, force: true });
        },
      };
    },
  },
];

const PATIENCE_MS = 30_000;

/** A request that nobody answers must not wait for ever. */
async function inTime(asked: Promise<Answer>): Promise<Answer> {
  let late: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, refuse) => {
    late = setTimeout(() => refuse(new Error('a request was not answered')), PATIENCE_MS);
  });
  return Promise.race([asked, silence]).finally(() => clearTimeout(late));
}

function holdAnswer([method]: Request, answer: Answer): void {
  hold(answer.kind !== 'gone', `the server left at ${method}`);
  if (answer.kind === 'refused') hold(!answer.text.includes('"code":"bug"'), `a bug at ${method}`);
  hold(!/\n {4}at |node_modules/.test(answer.text), `an answer to ${method} shows the program’s inside`);
}

function ledgerOf(home: string): string {
  const folder = join(home, '.surety', 'ledger');
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}
