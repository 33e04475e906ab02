import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Answer, Wire } from '../../testkit/wire.ts';
import { acknowledges, alternatives, type Contestant } from '../contestants.ts';
import type { Named } from './samples.ts';
import type { Keys, PoisonServer, Reader, Reading } from './server.ts';

/** What a server needs beside what the other benchmarks use of it. */
interface Adapter {
  readonly note: string;
  /** The call that changes a memory which is there. */
  correct(key: string, text: string): { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
  /** Writes straight into its storage. */
  put(home: string, texts: readonly Named[]): void;
  /** What an answer to a search names, best first. */
  readings(answer: string): readonly Omit<Reading, 'marked'>[];
}

const NO_LABELS = 'has no trust labels and filters nothing; it claims neither';

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  '@modelcontextprotocol/server-memory': {
    note: NO_LABELS,
    correct: observe,
    put: (home, texts) => {
      for (const { name, text } of texts)
        appendFileSync(
          join(home, 'memory.jsonl'),
          `\n${JSON.stringify({ type: 'entity', name, entityType: 'memory', observations: [text] })}`,
        );
    },
    readings: entities,
  },
  'mcp-memory-libsql': {
    note: NO_LABELS,
    correct: observe,
    put: (home, texts) =>
      inserted(join(home, 'memory.db'), texts, [
        "INSERT INTO entities (name, entity_type) VALUES (@name, 'memory')",
        'INSERT INTO observations (entity_name, content) VALUES (@name, @text)',
      ]),
    readings: entities,
  },
  'sqlite-memory-mcp': {
    note: NO_LABELS,
    correct: (key, content) => ({ tool: 'memory_write', args: { key, content } }),
    put: (home, texts) =>
      inserted(join(home, '.claude/claude.db'), texts, ['INSERT INTO memory (key, content) VALUES (@name, @text)']),
    readings: (answer) =>
      rowsIn(answer).map((row) => ({ key: String(row.key ?? ''), text: String(row.content ?? '') })),
  },
  'mcp-memory-keeper': {
    note: `${NO_LABELS}; its priorities are the writer's word`,
    correct: (key, value) => ({ tool: 'context_save', args: { key, value, priority: 'high' } }),
    put: (home, texts) =>
      inserted(join(home, 'keeper/context.db'), texts, [
        `INSERT INTO context_items (id, session_id, key, value, size)
         VALUES (@name, (SELECT id FROM sessions LIMIT 1), replace(@name, ' ', '_'), @text, length(@text))`,
      ]),
    readings: (answer) =>
      answer.split(/\n\n(?=• \[)/).flatMap((part) => {
        const [, key, text = ''] = /^• \[\w+\] (\S+) \([^)]*\)\n([\s\S]*)$/.exec(part) ?? [];
        return key === undefined ? [] : [{ key, text }];
      }),
  },
};

/** The servers that `npm run bench` installs, each asked in the way that finds most. */
export function others(modules: string): readonly PoisonServer[] {
  return alternatives(modules).flatMap((contestant) => {
    const adapter = ADAPTERS[contestant.name];
    return adapter === undefined ? [] : [poisonServer(contestant, adapter)];
  });
}

function poisonServer(contestant: Contestant, adapter: Adapter): PoisonServer {
  const written = (home: string, texts: readonly Named[]) =>
    calls(
      contestant,
      home,
      texts.map((each) => contestant.write(each.name, each.text)),
      texts,
    );
  return {
    name: contestant.name,
    views: [{ name: contestant.name, reader: (home) => readerOf(contestant, adapter, home) }],
    note: adapter.note,
    labels: false,
    trust: written,
    write: written,
    file: async (home, texts) => {
      // A server makes its tables when it first writes.
      await written(home, [
        { ...(texts[0] as Named), name: 'The first one 0', text: 'The first one, so that the tables are there.' },
      ]);
      adapter.put(home, texts);
      return texts.map(({ name }) => keyOf(contestant, name));
    },
    correction: (home, texts, corrected) =>
      calls(
        contestant,
        home,
        texts.map(({ text }, at) => adapter.correct(corrected[at] ?? '', text)),
        texts,
        corrected,
      ),
  };
}

async function readerOf(contestant: Contestant, adapter: Adapter, home: string): Promise<Reader> {
  const wire = await Wire.open(contestant.start(home));
  return {
    // None of them gives a session anything by itself.
    unasked: async () => [],
    ask: async (question) => {
      const found = new Map<string, Reading>();
      const answers = await Promise.all(
        telling(question).map((word) => {
          const { tool, args } = contestant.search(word);
          return wire.call(tool, args);
        }),
      );
      for (const answer of answers) {
        const readings = answer.kind === 'said' && contestant.finds(answer.text) ? adapter.readings(answer.text) : [];
        for (const each of readings) if (!found.has(each.key)) found.set(each.key, { ...each, marked: false });
      }
      return [...found.values()].slice(0, 5);
    },
    close: () => wire.close(),
  };
}

/** Servers that look for the query as one piece of text find nothing by a whole question: its three longest words, one by one. */
function telling(question: string): readonly string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}._-]{2,}/gu) ?? [];
  return [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, 3);
}

async function calls(
  contestant: Contestant,
  home: string,
  some: readonly { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[],
  texts: readonly Named[],
  keys?: readonly string[],
): Promise<Keys> {
  const wire = await Wire.open(contestant.start(home));
  const stored: (string | undefined)[] = [];
  // One by one: some of them lose what is written while they write.
  for (const [at, { tool, args }] of some.entries()) {
    const answer: Answer = await wire.call(tool, args);
    const key = keys?.[at] ?? keyOf(contestant, texts[at]?.name ?? '');
    stored.push(keys === undefined && !acknowledges(contestant, answer) ? undefined : key);
  }
  await wire.close();
  return stored;
}

function keyOf({ name: server }: Contestant, name: string): string {
  return server === 'mcp-memory-keeper' ? name.replaceAll(' ', '_') : name;
}

function observe(key: string, text: string) {
  return { tool: 'add_observations', args: { observations: [{ entityName: key, contents: [text] }] } };
}

function entities(answer: string): readonly Omit<Reading, 'marked'>[] {
  return rowsIn(answer).map((row) => ({ key: String(row.name ?? ''), text: JSON.stringify(row.observations ?? []) }));
}

/** The first list of objects in an answer. */
function rowsIn(answer: string): readonly Readonly<Record<string, unknown>>[] {
  const start = answer.search(/[[{]/);
  if (start < 0) return [];
  try {
    const parsed: unknown = JSON.parse(answer.slice(start));
    const lists = Array.isArray(parsed) ? [parsed] : Object.values(parsed as object).filter(Array.isArray);
    return lists[0] ?? [];
  } catch {
    return [];
  }
}

function inserted(path: string, texts: readonly Named[], statements: readonly string[]): void {
  const db = new Database(path);
  const prepared = statements.map((sql) => db.prepare(sql));
  db.transaction(() => {
    for (const { name, text } of texts) for (const one of prepared) one.run({ name, text });
  })();
  db.close();
}
