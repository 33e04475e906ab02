import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { search } from '../../../src/actions/agent/search.ts';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { parseQuery } from '../../../src/core/search/query.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { IndexFiles } from '../../../src/store/index/index-files.ts';
import type { IndexRow } from '../../../src/store/index/rows.ts';
import { SearchIndex } from '../../../src/store/index/search-index.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { ROOT } from '../../../testkit/program.ts';
import { seeded } from '../../../testkit/seeded.ts';
import { indexIn, TestStore, temporaryFolder } from '../../../testkit/store.ts';

function rowOf(body: string, at: number): IndexRow {
  return {
    place: 'memories',
    stem: `user_${at}`,
    stamp: { inode: 1n, size: 1, modified: 1n },
    id: `user_${at}`,
    claim: null,
    digest: null,
    saying: null,
    rules: '',
    blocked: null,
    held: null,
    anchored: 0,
    seal: null,
    reading: null,
    text: { type: 'user', project: null, name: '', about: '', body },
  };
}

/** An index of these texts, and the numbers of those a query finds, best first. */
function indexOf(texts: readonly string[], folder = temporaryFolder()) {
  const index = new SearchIndex(folder, '', new Disk());
  index.put(texts.map(rowOf));
  return (query: string) => index.find([parseQuery(query)], 10).map(({ rowid }) => rowid - 1);
}

test('a store whose rows were all written anew is searched as before: a word in every memory still counts for little', () => {
  const rows = Array.from({ length: 2_500 }, (_, at) =>
    rowOf(`deploy ${at % 40 === 0 ? 'rollback' : `note${at}`}`, at),
  );
  const scores = (index: SearchIndex) =>
    index.find([parseQuery('deploy rollback')], 5).map(({ score, coverage }) => [score, coverage]);
  const [once, again] = [
    new SearchIndex(temporaryFolder(), '', new Disk()),
    new SearchIndex(temporaryFolder(), '', new Disk()),
  ];
  once.put(rows);
  for (let time = 0; time < 3; time++) again.put(rows);
  expect(scores(again)).toEqual(scores(once));
});

test('an index whose parts contradict each other is made anew when something is put in', () => {
  const folder = temporaryFolder();
  const complaints: string[] = [];
  const index = new SearchIndex(folder, '', new Disk(), (line) => complaints.push(line));
  index.put([rowOf('merging by rebase', 0)]);
  const db = new Database(indexIn(folder));
  db.exec(`INSERT INTO term_vectors VALUES (2, 'user', NULL, x'00')`);
  db.close();
  index.put([rowOf('merging by hand', 1)]);
  expect(complaints).toEqual([expect.stringContaining('it is built again from the files')]);
  expect(index.isComplete).toBe(false);
  expect(index.find([parseQuery('merging')], 5)).toHaveLength(1);
});

describe('an index that was filled with many rows', () => {
  /** FTS5 looks through each for every word; the number of a piece stands above the 37 bits of its pages'. */
  function piecesIn(folder: string): number {
    const db = new Database(indexIn(folder), { readonly: true });
    const pieces = db
      .prepare<[], number>('SELECT count(DISTINCT id >> 37) FROM texts_data WHERE id > 10')
      .pluck()
      .get();
    db.close();
    return pieces ?? 0;
  }

  function filledWith(rows: number) {
    const folder = temporaryFolder();
    const index = new SearchIndex(folder, '', new Disk());
    for (let at = 0; at < rows; at += 20) {
      index.put(Array.from({ length: 20 }, (_, next) => rowOf(`note${at + next} about deploys`, at + next)));
    }
    return { folder, index };
  }

  test('is put together in steps, and finds the same', () => {
    const { folder, index } = filledWith(1_200);
    const found = () => ['note7', 'note1191 deploy'].map((query) => index.find([parseQuery(query)], 5));
    const before = found();
    expect(piecesIn(folder)).toBeGreaterThan(1);
    while (index.tidy());
    expect(piecesIn(folder)).toBe(1);
    expect(found()).toEqual(before);
    expect(index.tidy()).toBe(false);
  });

  test('is put together by the look that filled it', async () => {
    const store = await TestStore.open();
    const file = (n: number) =>
      fileWith({ name: `Note ${n}` }, `note${n} says what to do when a deploy has to wait for another one.`);
    for (let n = 0; n < 1_000; n++) store.write('memories', `user_note_${n}`, file(n));
    await store.reconcile();
    expect(piecesIn(store.places.cache)).toBe(1);
  });

  test('is left as it is where they are few', () => {
    const { folder, index } = filledWith(200);
    const before = piecesIn(folder);
    expect(index.tidy()).toBe(false);
    expect(piecesIn(folder)).toBe(before);
  });
});

describe('identifiers are found whole and in parts', () => {
  test.each([
    ['user_id', 'the column user_id is unique'],
    ['id', 'the column user_id is unique'],
    ['userId', 'the column user_id is unique'],
    ['React.FC', 'type components as React.FC please'],
    ['fc', 'type components as React.FC please'],
    ['auth-service', 'restart the auth-service first'],
    ['authservice', 'restart the auth-service first'],
    ['.env', 'never commit .env files'],
    ['env', 'never commit .env files'],
    ['__init__.py', 'an empty __init__.py is needed'],
    ['init', 'an empty __init__.py is needed'],
    ['parseHTTPResponse', 'call parseHTTPResponse with bytes'],
    ['parse http response', 'call parseHTTPResponse with bytes'],
    ['parsehttpresponse', 'call parseHTTPResponse with bytes'],
    ['v1.2.3', 'pinned to v1.2.3 since May'],
    ['C++', 'the engine is C++ of 2020'],
    ['a/b/c.ts:42', 'it broke in a/b/c.ts:42 again'],
    ['c.ts', 'it broke in a/b/c.ts:42 again'],
    ['github', 'hosted on GitHub for years'],
  ])('%s', (query, text) => {
    expect(indexOf(['something else entirely', text, 'C is a language, version 1'])(query)[0]).toBe(1);
  });
});

describe('every script is found', () => {
  test.each([
    ['X05, X07: 한국', '한국어 문서를 먼저 쓴다'],
    ['데이터베이스', '운영 데이터베이스를 직접 고치지 않는다'],
    ['東京', '東京都のサーバーを使う'],
    ['データ', '大きなデータベースを移行した'],
    ['数据库', '生产数据库每天备份'],
    ['猫', '我们有一只猫'],
    ['ฐานข้อมูล', 'สำรองฐานข้อมูลทุกวัน'],
    ['ดี', 'เป็นความคิดที่ดีมาก'],
    ['डेटाबेस', 'उत्पादन डेटाबेस को मत छुओ'],
    ['قاعدة', 'القاعدة الأولى في المشروع'],
    ['Datenbank', 'Die Datenbankverbindung bricht ab'],
    ['Verbindung', 'Die Datenbankverbindung bricht ab'],
    ['Datenbankverbindung', 'Die Verbindung der Datenbank Verbindung'],
    ['cafe', 'Treffen im Café am Fluss'],
    ['zurich', 'das Büro in Zürich'],
    ['kuber', 'the kubernetes cluster'],
  ])('%s', (query, text) => {
    expect(indexOf(['something else entirely', text, '別の話'])(query.replace(/^X.*: /, ''))).toEqual([1]);
  });
});

describe('small stores rank sensibly', () => {
  test('of none nothing is found, of one the one', () => {
    expect(indexOf([])('rebase')).toEqual([]);
    expect(indexOf(['merge by rebase'])('rebase')).toEqual([0]);
    expect(indexOf(['merge by rebase'])('kubernetes')).toEqual([]);
  });

  test('of two the one with more of what was asked goes first, though each word is in half or all of them', () => {
    expect(indexOf(['merge by hand', 'merge by rebase'])('merge rebase')).toEqual([1, 0]);
  });

  test('X09: of ten the rare word decides, and the common one still finds', () => {
    const texts = [...Array(6).fill('tests run in docker'), 'deploy in docker by make', 'x y', 'y z', 'make all'];
    const find = indexOf(texts);
    expect(find('docker deploy')[0]).toBe(6);
    expect(find('docker')).toHaveLength(7);
  });
});

test.each(['회의', '문서', '배포', '서버'])('X08: two syllables of Korean are enough to find %s', (word) => {
  expect(indexOf(['회의록은 문서함에 둔다', '금요일에는 배포하지 않는다', '새 서버를 쓴다'])(word)).toHaveLength(1);
});

test('X10: what matches far less than the best stays, as long as it has its share of what was asked', () => {
  const find = indexOf([
    'rebase rebase rebase',
    'a rebase, once',
    `${'other words here '.repeat(60)} rebase`,
    'nothing of it',
  ]);
  expect(find('rebase')).toEqual([0, 1, 2]);
});

test('a query of 400 characters is one like any other', () => {
  const words = Array.from({ length: 100 }, (_, n) => `w${n}x`).join(' ');
  const query = `rebase ${words}`.slice(0, 400);
  expect(query).toHaveLength(400);
  expect(indexOf(['merge by rebase', `${words} rebase`])(query)[0]).toBe(1);
});

test('of ten, a word in all of them finds all, and a word in most is no error beside a rare one', () => {
  const find = indexOf(Array.from({ length: 10 }, (_, n) => (n === 4 ? 'merge by rebase' : 'merge by hand')));
  expect(find('merge')).toHaveLength(10);
  expect(find('merge rebase')[0]).toBe(4);
});

test('a word in over a quarter of a larger store finds nothing beside a rarer one, and everything alone', () => {
  const find = indexOf(Array.from({ length: 500 }, (_, n) => (n % 100 === 0 ? 'merge by rebase' : 'merge by hand')));
  expect(find('merge rebase')).toEqual([400, 300, 200, 100, 0]);
  expect(find('merge').length).toBeGreaterThanOrEqual(20);
});

test('10,000 queries of any characters find or do not find, and none is an error', () => {
  const find = indexOf(['merge by rebase', '한국어 문서', 'user_id and "quotes"', 'NEAR OR AND NOT']);
  const word = fc.constantFrom(
    '"',
    '*',
    'OR',
    'NEAR(',
    ')',
    ':',
    '^',
    '-',
    'merge',
    'user_id',
    '한국',
    '\u0000',
    "'",
    '+',
    '{',
  );
  const query = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
    fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    fc.array(word, { maxLength: 12 }).map((words) => words.join('')),
  );
  fc.assert(
    fc.property(query, (typed) => {
      find(typed);
    }),
    { numRuns: 10_000 },
  );
});

test('a text of which every fourth word was changed is found again among a thousand', () => {
  const index = new SearchIndex(temporaryFolder(), '', new Disk());
  let state = 7;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  // Some words in most memories, most words in few.
  const word = () => (draw(3) === 0 ? `usual${draw(20)}` : `word${draw(2_000)}`);
  const texts = Array.from({ length: 1_000 }, () => Array.from({ length: 30 }, word));
  index.put(texts.map((words, at) => rowOf(words.join(' '), at)));
  const missed = texts.slice(0, 200).filter((words, at) => {
    const edited = words.map((each, place) => (place % 4 === at % 4 ? `other${draw(2_000)}` : each)).join(' ');
    return index.nearDuplicates({ name: '', about: '', body: edited }, [], 0.5)[0]?.rowid !== at + 1;
  });
  expect(missed).toEqual([]);
});

test('a text of words that are all in many memories is found again among two thousand', () => {
  const index = new SearchIndex(temporaryFolder(), '', new Disk());
  const chance = seeded(3);
  const draw = (below: number) => Math.floor(chance() * below);
  const texts = Array.from({ length: 2_000 }, () => Array.from({ length: 24 }, () => `usual${draw(120)}`));
  index.put(texts.map((words, at) => rowOf(words.join(' '), at)));
  const missed = texts.slice(0, 200).filter((words, at) => {
    const edited = words.map((each, place) => (place === draw(24) ? `usual${draw(120)}` : each)).slice(1);
    return index.nearDuplicates({ name: '', about: '', body: edited.join(' ') }, [], 0.5)[0]?.rowid !== at + 1;
  });
  expect(missed).toEqual([]);
});

test('nothing of a memory is left behind when its row goes', () => {
  const folder = temporaryFolder();
  const index = new SearchIndex(folder, '', new Disk());
  index.put([rowOf('merging by rebase', 0), rowOf('merging by rebase and squash', 1)]);
  index.put([rowOf('something else altogether', 0)]);
  for (const stem of ['user_0', 'user_1']) index.drop('memories', stem);
  index.close();
  const db = new Database(indexIn(folder), { readonly: true });
  const left = ['files', 'term_vectors', 'readings', 'traits', 'texts_docsize'].map((table) =>
    db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  );
  db.close();
  expect(left).toEqual([0, 0, 0, 0, 0]);
});

test('a new index that another process is just writing to is waited for', async () => {
  const folder = temporaryFolder();
  // As between the making of the file and its becoming one that many can use.
  const other = `
    const db = new (require('better-sqlite3'))(process.argv[1]);
    db.exec('BEGIN IMMEDIATE');
    console.log('writing');
    setTimeout(() => db.exec('COMMIT'), 500);`;
  const writer = spawn(process.execPath, ['-e', other, new IndexFiles(folder, '', new Disk()).current], { cwd: ROOT });
  const ended = new Promise((resolve) => writer.on('close', resolve));
  await new Promise((resolve) => writer.stdout.once('data', resolve));
  expect(indexOf(['waited for'], folder)('waited')).toEqual([0]);
  expect(await ended).toBe(0);
});

describe('an index that is lost is made anew from the files', () => {
  const index = (store: TestStore) => indexIn(store.places.cache);
  const removeIndex = (store: TestStore) => {
    const path = index(store);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  };
  const stores = async () => {
    const store = await TestStore.open();
    await store.propose('merging by rebase');
    await store.reconcile();
    return store;
  };
  const finds = async (store: TestStore, query = 'rebase') => {
    const { hits } = await search(store.vault, { query, limit: 5 });
    return hits.map(({ facts }) => facts.id);
  };

  test.each([
    ['garbage', (path: string) => writeFileSync(path, 'garbage '.repeat(2_000))],
    ['cut', (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ['emptied', (path: string) => truncateSync(path, 0)],
    ['deleted', (path: string) => rmSync(path)],
    ['read-only', (path: string) => chmodSync(path, 0o400)],
    [
      'replaced by a folder',
      (path: string) => {
        rmSync(path);
        mkdirSync(join(path, 'inside'), { recursive: true });
      },
    ],
  ])('%s while nobody had it open', async (_how, damage) => {
    const store = await stores();
    store.vault.close();
    damage(index(store));
    await store.reopen();
    expect(await finds(store)).toEqual(['user_merging_by_rebase']);
  });

  test('garbage is told on stderr, once', async () => {
    const store = await stores();
    store.vault.close();
    writeFileSync(index(store), 'garbage '.repeat(2_000));
    await store.reopen();
    await finds(store);
    await finds(store);
    expect(store.complaints.filter((line) => line.includes('search index'))).toHaveLength(1);
  });

  test('deleted while a process has it open: its very next search finds everything', async () => {
    const store = await stores();
    removeIndex(store);
    expect(await finds(store)).toEqual(['user_merging_by_rebase']);
  });

  test('deleted with its whole folder while a process has it open: the folder is made anew too', async () => {
    const store = await stores();
    rmSync(store.places.cache, { recursive: true });
    expect(await finds(store)).toEqual(['user_merging_by_rebase']);
    expect(await store.propose('merging by squash')).toBe('user_merging_by_squash');
  });

  test('a text is stored once, also while the index is gone', async () => {
    const store = await stores();
    removeIndex(store);
    expect(await store.propose('merging by rebase')).toBe('user_merging_by_rebase');
    expect(store.files('memories')).toEqual(['user_merging_by_rebase.md']);
  });

  test('a text whose writer died before it was indexed is stored once, whoever proposes it again', async () => {
    const store = await stores();
    // What a kill between the ledger and the index leaves.
    insideOf(store.vault).index.drop('memories', 'user_merging_by_rebase');
    expect(await store.propose('merging by rebase')).toBe('user_merging_by_rebase');
    expect(await finds(store)).toEqual(['user_merging_by_rebase']);
  });

  test('an index that takes no row stops no proposal: the operator hears of it, and the next scan adds the row', async () => {
    const store = await stores();
    const { index } = insideOf(store.vault);
    index.put = () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    expect(await store.propose('merging by squash')).toBe('user_merging_by_squash');
    expect(store.complaints.join('\n')).toContain('the index could not be updated');
    await store.reopen();
    await store.reconcile();
    expect(await finds(store, 'squash')).toEqual(['user_merging_by_squash']);
  });

  test('on a full disk what was known before is served, and what is not is told', async () => {
    const store = await stores();
    store.write(
      'memories',
      'user_found',
      '---\nname: Found\ndescription: A file\ntype: user\n---\nIt was put there by hand, by somebody.\n',
    );
    const { index } = insideOf(store.vault);
    const put = index.put.bind(index);
    index.put = () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    await store.reconcile();
    expect(store.vault.indexState()).toMatchObject({ complete: false, unwritten: 1 });
    // A server looks again at every change of a file.
    await store.reconcile();
    expect(store.complaints).toEqual([expect.stringContaining('what is new in 1 memory file is not listed')]);
    expect(await finds(store)).toEqual(['user_merging_by_rebase']);
    index.put = put;
    await store.reconcile();
    expect(await finds(store, 'somebody')).toEqual(['user_found']);
    expect(store.vault.indexState()).toMatchObject({ complete: true, unwritten: 0 });
  });

  test('where the cache folder takes no file at all, the process keeps an index in memory', async () => {
    const store = await stores();
    store.vault.close();
    const path = index(store);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    mkdirSync(join(path, 'in-the-way'), { recursive: true });
    await store.reopen();
    expect(await finds(store)).toEqual(['user_merging_by_rebase']);
    expect(store.complaints.join('\n')).toContain('in memory');
  });
});
