import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Answer, type Start, Wire } from '../testkit/wire.ts';
import { readFolder } from '../torture/checker/file.ts';
import { readLedgers } from '../torture/checker/ledger.ts';
import { samples, writeStore } from './corpus.ts';

type Args = Readonly<Record<string, unknown>>;

/** A memory server as the benchmark drives it: over stdio, by its own tools, on its own storage. */
export interface Contestant {
  readonly name: string;
  start(home: string): Start;
  write(name: string, text: string): { readonly tool: string; readonly args: Args };
  /** Whether an answer says that it was stored; some tell a failure as an ordinary answer. */
  took?(text: string): boolean;
  search(query: string): { readonly tool: string; readonly args: Args };
  /** Whether the answer to a search names anything. */
  finds(text: string): boolean;
  /** Puts that many memories straight into its storage. */
  seed(home: string, memories: number): Promise<void>;
  /** Everything that is stored, as one text; throws where the storage cannot be read. */
  stored(home: string): string;
}

/** As the corpus has them, with a name of its own for each. */
function* rows(memories: number): Generator<{ key: string; text: string }> {
  let at = 0;
  for (const { name, description, body } of samples(memories)) {
    yield { key: `${name} ${at++}`, text: `${description}\n${body}` };
  }
}

export function surety(main: string): Contestant {
  return {
    name: 'surety',
    start: (home) => {
      mkdirSync(join(home, '.config/surety'), { recursive: true });
      // Fifty proposals a session are enough for an agent and too few for a benchmark.
      writeFileSync(join(home, '.config/surety/config.json'), JSON.stringify({ proposalsPerSession: 10_000 }));
      return { command: process.execPath, args: [main], cwd: join(home, 'work'), env: { HOME: home } };
    },
    write: (name, text) => ({
      tool: 'propose_memory',
      args: { type: 'user', name, description: `About ${name}`, body: text },
    }),
    search: (query) => ({ tool: 'search_memories', args: { query, limit: 10 } }),
    finds: (text) => text.includes('"stored":'),
    seed: async (home, memories) => writeStore(join(home, '.surety', 'memories'), memories),
    stored: (home) => {
      const root = join(home, '.surety');
      const entered = new Set(
        readLedgers(root).flatMap(({ lines, faults }) => {
          if (faults.length > 0) throw new Error(`the ledger is damaged: ${faults[0]}`);
          return lines.map(({ entry }) => `${entry.id} ${entry.digest}`);
        }),
      );
      const { found } = readFolder(root, 'memories');
      const torn = found.find((file) => file.torn !== undefined);
      if (torn !== undefined) throw new Error(`${torn.stem} cannot be read`);
      return found
        .filter((file) => entered.has(`${file.id} ${file.digest}`))
        .map((file) => file.text?.body)
        .join('\n');
    },
  };
}

/** Those that were installed into bench/alternatives. */
export function alternatives(modules: string): Contestant[] {
  const node = (script: string, home: string, env: Record<string, string> = {}): Start => ({
    command: process.execPath,
    args: [join(modules, script)],
    cwd: join(home, 'work'),
    env: { HOME: home, ...env },
  });
  const contestants: Contestant[] = [
    {
      name: '@modelcontextprotocol/server-memory',
      start: (home) =>
        node('@modelcontextprotocol/server-memory/dist/index.js', home, {
          MEMORY_FILE_PATH: join(home, 'memory.jsonl'),
        }),
      write: entity,
      search: (query) => ({ tool: 'search_nodes', args: { query } }),
      finds: (text) => text.includes('"name"'),
      seed: async (home, memories) => {
        const lines = [...rows(memories)].map(({ key, text }) =>
          JSON.stringify({ type: 'entity', name: key, entityType: 'memory', observations: [text] }),
        );
        writeFileSync(join(home, 'memory.jsonl'), lines.join('\n'));
      },
      stored: (home) => {
        const lines = readFileSync(join(home, 'memory.jsonl'), 'utf8').split('\n').filter(Boolean);
        return lines.map((line) => JSON.parse(line).observations.join('\n')).join('\n');
      },
    },
    {
      name: 'mcp-memory-libsql',
      start: (home) => node('mcp-memory-libsql/dist/index.js', home, { LIBSQL_URL: `file:${join(home, 'memory.db')}` }),
      write: entity,
      search: (query) => ({ tool: 'search_nodes', args: { query, limit: 10 } }),
      finds: (text) => text.includes('"name"'),
      seed: async function (home, memories) {
        await once(this, home);
        insert(join(home, 'memory.db'), memories, [
          'INSERT INTO entities (name, entity_type) VALUES (@key, @kind)',
          'INSERT INTO observations (entity_name, content) VALUES (@key, @text)',
        ]);
      },
      stored: (home) => column(join(home, 'memory.db'), 'SELECT content FROM observations'),
    },
    {
      name: 'sqlite-memory-mcp',
      start: (home) => node('sqlite-memory-mcp/dist/index.js', home),
      write: (key, content) => ({ tool: 'memory_write', args: { key, content } }),
      search: (query) => ({ tool: 'memory_search', args: { query, limit: 10 } }),
      finds: (text) => text.includes('"key"'),
      seed: async function (home, memories) {
        await once(this, home);
        insert(join(home, '.claude/claude.db'), memories, ['INSERT INTO memory (key, content) VALUES (@key, @text)']);
      },
      stored: (home) => column(join(home, '.claude/claude.db'), 'SELECT content FROM memory'),
    },
    {
      name: 'mcp-memory-keeper',
      start: (home) => node('mcp-memory-keeper/bin/mcp-memory-keeper', home, { DATA_DIR: join(home, 'keeper') }),
      write: (key, value) => ({ tool: 'context_save', args: { key: key.replaceAll(' ', '_'), value } }),
      took: (text) => text.startsWith('Saved'),
      search: (query) => ({ tool: 'context_search', args: { query, limit: 10 } }),
      finds: (text) => !text.startsWith('No results'),
      seed: async function (home, memories) {
        await once(this, home);
        insert(join(home, 'keeper/context.db'), memories, [
          `INSERT INTO context_items (id, session_id, key, value, size)
           VALUES (@key, (SELECT id FROM sessions LIMIT 1), @key, @text, length(@text))`,
        ]);
      },
      stored: (home) => column(join(home, 'keeper/context.db'), 'SELECT value FROM context_items'),
    },
  ];
  return contestants;
}

function entity(name: string, text: string) {
  return { tool: 'create_entities', args: { entities: [{ name, entityType: 'memory', observations: [text] }] } };
}

/** A server makes its tables when it first writes. */
async function once(contestant: Contestant, home: string): Promise<void> {
  const wire = await Wire.open(contestant.start(home));
  const { tool, args } = contestant.write('the first', 'The first one, so that the tables are there.');
  const answer = await wire.call(tool, args);
  await wire.close();
  if (!acknowledges(contestant, answer)) throw new Error('it could not be filled');
}

export function acknowledges({ took }: Contestant, answer: Answer): boolean {
  return answer.kind === 'said' && (took === undefined || took(answer.text));
}

/** What takes longer to fill is not measured at that size: of one of them every row takes longer than the last. */
const FILLING_MS = 90_000;

function insert(path: string, memories: number, statements: readonly string[]): void {
  const db = new Database(path);
  const prepared = statements.map((sql) => db.prepare(sql));
  const end = performance.now() + FILLING_MS;
  db.transaction(() => {
    for (const row of rows(memories)) {
      if (performance.now() > end) throw new Error(`not filled in ${FILLING_MS / 1_000} s`);
      for (const one of prepared) one.run({ ...row, kind: 'memory' });
    }
  })();
  db.close();
}

function column(path: string, sql: string): string {
  const db = new Database(path);
  const broken = db.pragma('integrity_check', { simple: true });
  if (broken !== 'ok') throw new Error(`the database is damaged: ${broken}`);
  const texts = db.prepare<[], string>(sql).pluck().all();
  db.close();
  return texts.join('\n');
}
