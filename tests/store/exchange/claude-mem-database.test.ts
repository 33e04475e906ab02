import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { Disk } from '../../../src/store/disk/disk.ts';
import { readClaudeMem } from '../../../src/store/exchange/claude-mem-database.ts';
import { isAlwaysSlowerThan } from '../../../testkit/cpu-time.ts';
import { piped } from '../../../testkit/piped.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

/** The tables as claude-mem 13.25 makes them, without its indexes and its other tables. */
const SCHEMA = `
  CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
    type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
    files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, created_at TEXT NOT NULL,
    created_at_epoch INTEGER NOT NULL
  );
  CREATE TABLE session_summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
    investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
    prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL
  );`;

interface Observation {
  readonly project?: string;
  readonly title?: string | null;
  readonly subtitle?: string | null;
  readonly narrative?: string | Buffer | null;
  readonly facts?: string | null;
  readonly concepts?: string | null;
}

function made(path: string, observations: readonly Observation[], schema = SCHEMA): Database.Database {
  mkdirSync(join(path, '..'), { recursive: true });
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.exec(schema);
  const insert = db.prepare(
    `INSERT INTO observations (memory_session_id, project, type, title, subtitle, narrative, facts, concepts, created_at, created_at_epoch)
     VALUES ('s1', @project, 'discovery', @title, @subtitle, @narrative, @facts, @concepts, '', 1767225600000)`,
  );
  const none = { project: 'parser', title: null, subtitle: null, narrative: null, facts: null, concepts: null };
  for (const each of observations) insert.run({ ...none, ...each });
  return db;
}

/** Every file of a folder with its time and bytes. */
function filesOf(folder: string): unknown {
  return readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, statSync(path).mtimeMs, createHash('sha256').update(readFileSync(path)).digest('hex')];
  });
}

async function preview(home: string, path: string) {
  const { code, out, err } = await piped(home, ['import', '--dry-run', '--json', path]);
  return { code, err, ...(out === '' ? {} : JSON.parse(out)) };
}

const LEXER = {
  title: 'The lexer is generated',
  subtitle: 'make gen writes it',
  narrative: 'The lexer comes from a grammar file.',
  facts: '["The grammar is in grammar.peg","make gen writes it"]',
  concepts: '["how-it-works","gotcha"]',
};

terminalTest('claude-mem: observations and summaries are shown and asked about, also while it runs', async () => {
  const store = await storeTenDaysAgo();
  const folder = join(store.home, '.claude-mem');
  const db = made(join(folder, 'claude-mem.db'), [LEXER, { project: 'other', title: 'Only a title' }]);
  db.prepare(
    `INSERT INTO session_summaries (memory_session_id, project, request, learned, next_steps, created_at, created_at_epoch)
     VALUES ('s1', 'parser', 'Make it faster', 'Tables beat branches.', 'Measure.', '', 0)`,
  ).run();
  // Still open: nothing is merged from its log yet.
  expect(readdirSync(folder)).toContain('claude-mem.db-wal');
  const before = filesOf(folder);
  const terminal = new TestTerminal(store.home, ['import', '.claude-mem', '--project', 'owner/parser']);
  const first = await terminal.answer('y');
  expect(first).toContain('.claude-mem is a database of claude-mem: 3 memories.');
  expect(first).toContain('│ observation 1');
  expect(await terminal.answer('i')).toContain('│ Only a title');
  expect(await terminal.answer('s')).toContain('│ Next steps: Measure.');
  expect((await terminal.end()).code).toBe(0);
  expect(filesOf(folder)).toEqual(before);
  db.close();
  const text = store.text('memories', 'project_the_lexer_is_generated');
  expect(text).toMatch(
    /^---\nname: The lexer is generated\ndescription: make gen writes it\ntype: project\ntags: \[how-it-works, gotcha\]\nproject: owner\/parser\n/m,
  );
  expect(text).toContain('created-at: 2026-01-01T00:00:00Z\n');
  expect(text).toContain(
    'The lexer comes from a grammar file.\n\n- The grammar is in grammar.peg\n- make gen writes it\n',
  );
  expect(store.text('memories', 'project_only_a_title')).toContain('\nproject: other\n');
  expect(store.standing('project_the_lexer_is_generated')).toBe('verified:vouched');
  // Closed, it is one file again.
  const closed = filesOf(folder);
  expect((await piped(store.home, ['import', '--dry-run', '.claude-mem/claude-mem.db'])).code).toBe(0);
  expect(filesOf(folder)).toEqual(closed);
});

test('a row that is too large, empty, no text or a secret costs no other', async () => {
  const store = await storeTenDaysAgo();
  const path = join(store.home, 'c.db');
  const key = `AKIA${'Q3EGRTZ7MN4LKW2P'}`;
  made(path, [
    { title: 'Large', narrative: 'x'.repeat(70_000) },
    {},
    { title: 'Bytes', narrative: Buffer.from([0xff, 0xfe, 0]) },
    { title: 'Key', narrative: `The key ${key} opens the bucket.` },
    { title: 'Lists', narrative: 'Its lists are damaged.', facts: '[[[', concepts: '{"a":1}' },
  ]).close();
  const { new: fresh, refused, skipped, source } = await preview(store.home, 'c.db');
  expect(source).toBe('claude-mem');
  expect(fresh.map(({ from }: { from: string }) => from)).toEqual(['observation 3', 'observation 5']);
  expect(refused).toMatchObject([{ from: 'observation 4' }]);
  expect(JSON.stringify(refused)).not.toContain(key);
  expect(skipped).toEqual([
    { from: 'observation 1', why: 'it is larger than 64 KiB' },
    { from: 'observation 2', why: 'there is no text in it' },
  ]);
});

const VIEW = `CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, project TEXT);
  CREATE VIEW observations AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'p' AS project, 'x' AS title FROM n;`;

test.each<[string, string, (path: string) => void]>([
  ['another program’s', 'not one of claude-mem', (path) => new Database(path).exec('CREATE TABLE a (b)').close()],
  ['one whose table never ends', 'not one of claude-mem', (path) => new Database(path).exec(VIEW).close()],
  [
    'only the first bytes of one',
    'it is damaged',
    (path) => writeFileSync(path, `SQLite format 3\0${'x'.repeat(5000)}`),
  ],
  [
    'one with damaged pages',
    'it is damaged',
    (path) => {
      made(path, Array(200).fill(LEXER)).close();
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xa5, 4096));
    },
  ],
  [
    'one of 300 MB',
    'larger than 256 MiB',
    (path) => {
      made(path, [LEXER]).close();
      truncateSync(path, 300 * 1024 * 1024);
    },
  ],
  [
    'a link',
    'it is a link',
    (path) => {
      made(`${path}.real`, [LEXER]).close();
      symlinkSync(`${path}.real`, path);
    },
  ],
  [
    'a second name',
    'second name',
    (path) => {
      made(`${path}.real`, [LEXER]).close();
      linkSync(`${path}.real`, path);
    },
  ],
  [
    'one whose log is a link',
    'a file beside it is a link',
    (path) => {
      made(path, [LEXER]).close();
      symlinkSync('/etc/hostname', `${path}-wal`);
    },
  ],
  ['a FIFO', 'not a regular file', (path) => void execFileSync('mkfifo', [path])],
])('a database that is %s is refused in words', async (_, why, make) => {
  const store = await storeTenDaysAgo();
  make(join(store.home, 'c.db'));
  const { code, err } = await preview(store.home, 'c.db');
  expect(code).toBe(1);
  expect(err).toContain(why);
  expect(err).not.toContain('CREATE');
});

test('views, triggers and numbers that are none cost no time and no memory', async () => {
  const store = await storeTenDaysAgo();
  const path = join(store.home, 'c.db');
  // Each view names the one before it twice, so that looking at the last one takes 2^40 steps.
  const views = Array.from({ length: 40 }, (_, i) => {
    const before = i === 0 ? '1' : `(SELECT count(a) FROM v${i - 1}) + (SELECT count(a) FROM v${i - 1})`;
    return `CREATE VIEW v${i} AS SELECT ${before} AS a;`;
  });
  const loose = SCHEMA.replace('id INTEGER PRIMARY KEY AUTOINCREMENT', 'id').replace(
    'created_at_epoch INTEGER',
    'created_at_epoch',
  );
  const db = made(path, [LEXER], `${loose}${views.join('')}`);
  db.prepare('UPDATE observations SET id = ?, created_at_epoch = ?').run(
    '9'.repeat(1_000_000),
    Buffer.alloc(1_000_000),
  );
  db.close();
  let rows: readonly unknown[] = [];
  expect(
    isAlwaysSlowerThan(200, () => {
      rows = readClaudeMem(new Disk(), path);
    }),
  ).toBe(false);
  expect(rows).toMatchObject([{ table: 'observation', id: 0, made: 0 }]);
});

/** Another program that writes to the file after each look at it. */
class WhileWriting extends Disk {
  override *readPortions(path: string, offset: number) {
    yield* super.readPortions(path, offset);
    appendFileSync(path, 'more');
  }
}

test('a database that is being written to all the time is refused, and no copy stays behind', async () => {
  const store = await storeTenDaysAgo();
  const path = join(store.home, 'c.db');
  made(path, [LEXER]).close();
  const temporary = join(store.home, 'temporary');
  mkdirSync(temporary);
  vi.stubEnv('TMPDIR', temporary);
  expect(() => readClaudeMem(new WhileWriting(), path)).toThrow('it is being written to');
  expect(readdirSync(temporary)).toEqual([]);
  expect(() => readClaudeMem(new Disk(), path)).not.toThrow();
  expect(readdirSync(temporary)).toEqual([]);
  vi.unstubAllEnvs();
});
