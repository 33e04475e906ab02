import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Disk } from '../../../src/store/disk/disk.ts';
import {
  type AuditEntry,
  AuditLog,
  auditLine,
  fingerprintKey,
  fingerprintRefused,
} from '../../../src/store/records/audit-log.ts';

let folder: string;
let file: string;
let complaints: string[];

beforeEach(() => {
  folder = fs.mkdtempSync(join(os.tmpdir(), 'surety-'));
  file = join(folder, 'audit.ndjson');
  complaints = [];
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const NOW = new Date('2026-11-15T10:20:30.456Z');
const complain = (line: string) => complaints.push(line);
const open = (rotateAt?: number) => new AuditLog(file, () => NOW, complain, rotateAt === undefined ? {} : { rotateAt });
const ENTRY: AuditEntry = { channel: 'mcp', action: 'promote', outcome: 'refused' };
const lines = (path = file) =>
  fs
    .readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const mode = (path: string) => fs.statSync(path).mode & 0o777;

describe('a line', () => {
  test('says when, through what, by whom, what was tried, and how it ended', () => {
    open().record({
      channel: 'mcp',
      client: { name: 'claude-code', version: '2.1.0' },
      action: 'promote',
      id: 'user_editor',
      outcome: 'refused',
      reason: 'observation-running',
      digest: 'ab'.repeat(32),
      input: { id: 'user_editor' },
    });
    expect(fs.readFileSync(file, 'utf8')).toBe(
      `{"time":"2026-11-15T10:20:30.456Z","channel":"mcp","client":{"name":"claude-code","version":"2.1.0"},"action":"promote","id":"user_editor","outcome":"refused","reason":"observation-running","digest":"${'ab'.repeat(32)}","input":{"id":"user_editor"}}\n`,
    );
    expect(complaints).toEqual([]);
  });

  test('is added after those that are there', () => {
    open().record({ ...ENTRY, id: 'a' });
    open().record({ ...ENTRY, id: 'b' });
    expect(lines().map((line) => line.id)).toEqual(['a', 'b']);
  });

  test('cuts an input of 10,000 characters at 4096, with a mark', () => {
    open().record({ ...ENTRY, input: { text: 'x'.repeat(10_000), short: 'y'.repeat(4096) } });
    expect(lines()[0].input).toEqual({
      text: `${'x'.repeat(4096)}…[5904 more characters cut]`,
      short: 'y'.repeat(4096),
    });
  });

  test('counts characters, not halves of them', () => {
    const [kept, cut] = ['😀'.repeat(4096), '😀'.repeat(4097)];
    expect(JSON.parse(auditLine({ ...ENTRY, input: { kept, cut } }, NOW)).input).toEqual({
      kept,
      cut: `${kept}…[1 more characters cut]`,
    });
  });

  test('cuts whatever a client calls itself as well', () => {
    const line = auditLine({ ...ENTRY, client: { name: 'n'.repeat(1_000_000), version: '1' } }, NOW);
    expect(line.length).toBeLessThan(5000);
  });

  test('is one line of visible characters whatever it holds, and gives back every character', () => {
    const nasty = 'a\nb\r\u0000\u001b[2J\u009b31m\u0085\u2028\u2029\u202e\u200b\u{E0041}\ud800"}\n{"time":"forged"}';
    const check = (text: string) => {
      const line = auditLine({ ...ENTRY, id: text, input: { [text]: text } }, NOW);
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(line)).toMatchObject({ id: text, input: { [text]: text } });
    };
    check(nasty);
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const anything = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));
    fc.assert(
      fc.property(
        anything.filter((text) => text !== '__proto__'),
        check,
      ),
    );
  });
});

describe('the file', () => {
  test('is readable by the operator alone, also when it was not', () => {
    open().record(ENTRY);
    expect(mode(file)).toBe(0o600);
    fs.chmodSync(file, 0o644);
    open().record(ENTRY);
    expect(mode(file)).toBe(0o600);
  });

  test('comes back with its folder when somebody deleted both', () => {
    const log = open();
    log.record(ENTRY);
    fs.rmSync(folder, { recursive: true });
    log.record(ENTRY);
    expect(lines()).toHaveLength(1);
    expect(mode(folder)).toBe(0o700);
    expect(complaints).toEqual([]);
  });

  test('half a line left by a full disk does not swallow the next', () => {
    fs.writeFileSync(file, '{"time":"2026-11-15T10');
    open().record({ ...ENTRY, id: 'whole' });
    const [torn, whole] = fs.readFileSync(file, 'utf8').split('\n');
    expect(torn).toBe('{"time":"2026-11-15T10');
    expect(JSON.parse(whole ?? '').id).toBe('whole');
  });
});

describe('a log that cannot be written never breaks a call', () => {
  function replaceFolder() {
    fs.rmdirSync(folder);
    fs.writeFileSync(folder, '');
  }
  function target(): string {
    fs.writeFileSync(`${file}.target`, '');
    return `${file}.target`;
  }
  const obstacles: [string, () => void][] = [
    ['a folder has its name', () => fs.mkdirSync(file)],
    ['its folder is a file', () => replaceFolder()],
    ['it is a link', () => fs.symlinkSync(target(), file)],
    ['it has a second name', () => fs.linkSync(target(), file)],
    ['it is a pipe', () => expect(spawnSync('mkfifo', [file]).status).toBe(0)],
  ];
  test.each(obstacles)('%s: said once, nothing thrown, nothing followed', (_why, obstruct) => {
    obstruct();
    const log = open();
    for (let i = 0; i < 3; i++) log.record(ENTRY);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatch(/^The audit log cannot be written \([A-Z]+\)\./);
    if (fs.existsSync(`${file}.target`)) expect(fs.readFileSync(`${file}.target`, 'utf8')).toBe('');
  });

  test('not even when the clock, or saying so, fails', () => {
    const log = new AuditLog(
      file,
      () => new Date(Number.NaN),
      () => {
        throw new Error('EPIPE');
      },
    );
    expect(() => log.record(ENTRY)).not.toThrow();
  });

  test('recording goes on once the obstacle is gone', () => {
    fs.mkdirSync(file);
    const log = open();
    log.record(ENTRY);
    fs.rmdirSync(file);
    log.record({ ...ENTRY, id: 'back' });
    expect(lines().map((line) => line.id)).toEqual(['back']);
  });
});

describe('rotation', () => {
  const LINE = auditLine({ ...ENTRY, id: '0000' }, NOW).length;
  const id = (n: number) => String(n).padStart(4, '0');
  const record = (log: AuditLog, from: number, to: number) => {
    for (let n = from; n < to; n++) log.record({ ...ENTRY, id: id(n) });
  };
  const ids = (path: string) => lines(path).map((line) => Number(line.id));

  test('happens before the line that would pass the limit, and keeps three old files', () => {
    record(open(2 * LINE), 0, 11);
    expect(fs.readdirSync(folder).sort()).toEqual(['audit.ndjson', ...[1, 2, 3].map((n) => `audit.ndjson.${n}`)]);
    expect([file, `${file}.1`, `${file}.2`, `${file}.3`].map(ids)).toEqual([[10], [8, 9], [6, 7], [4, 5]]);
    expect(mode(`${file}.1`)).toBe(0o600);
    expect(complaints).toEqual([]);
  });

  test('is at 50 MB', () => {
    fs.writeFileSync(file, '\n', { mode: 0o600 });
    fs.truncateSync(file, 50 * 1024 * 1024 - LINE + 1);
    const log = open();
    log.record({ ...ENTRY, id: id(0) });
    expect(fs.existsSync(`${file}.1`)).toBe(true);
    fs.renameSync(`${file}.1`, file);
    fs.truncateSync(file, 50 * 1024 * 1024 - LINE);
    log.record({ ...ENTRY, id: id(0) });
    expect(fs.existsSync(`${file}.1`)).toBe(false);
  });

  test('interrupted between two renames costs no file that was to be kept', () => {
    record(open(2 * LINE), 0, 8);
    fs.renameSync(`${file}.2`, `${file}.3`);
    fs.renameSync(`${file}.1`, `${file}.2`);
    record(open(2 * LINE), 8, 9);
    expect([file, `${file}.1`, `${file}.2`, `${file}.3`].map(ids)).toEqual([[8], [6, 7], [4, 5], [2, 3]]);
  });

  test('is left to the process that is at it', () => {
    fs.writeFileSync(`${file}.rotating`, String(process.ppid));
    record(open(2 * LINE), 0, 4);
    expect(ids(file)).toEqual([0, 1, 2, 3]);
    expect(complaints).toEqual([]);
    expect(fs.readFileSync(`${file}.rotating`, 'utf8')).toBe(String(process.ppid));
  });

  test.each([
    ['was killed at it', () => String(spawnSync(process.execPath, ['-e', '']).pid)],
    ['had this one’s number', () => String(process.pid)],
    ['left no number', () => ''],
  ])('is taken over from a process that %s', (_label, owner) => {
    fs.writeFileSync(`${file}.rotating`, owner());
    record(open(2 * LINE), 0, 4);
    expect([file, `${file}.1`].map(ids)).toEqual([
      [2, 3],
      [0, 1],
    ]);
    expect(fs.readdirSync(folder).sort()).toEqual(['audit.ndjson', 'audit.ndjson.1']);
  });

  test('that fails is said, and the line is kept', () => {
    record(open(), 0, 2);
    fs.mkdirSync(`${file}.1`);
    fs.mkdirSync(`${file}.2`);
    fs.mkdirSync(join(`${file}.3`, 'full'), { recursive: true });
    record(open(2 * LINE), 2, 4);
    expect(ids(file)).toEqual([0, 1, 2, 3]);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain('cannot be rotated');
  });

  test('by several processes at once loses, doubles and mixes no line', async () => {
    const writers = 4;
    const each = 1500;
    const expected = Array.from(
      { length: writers * each },
      (_, i) => `${i % writers}-${Math.floor(i / writers)}`,
    ).sort();
    const bytes = expected.reduce((sum, name) => sum + auditLine({ ...ENTRY, id: name }, NOW).length, 0);
    // Three rotations, and room for every line in the four files there are: one that is missing was lost.
    const rotateAt = Math.ceil(bytes / 3.5);
    const program = `
      import { AuditLog } from ${JSON.stringify(new URL('../../../src/store/records/audit-log.ts', import.meta.url).href)};
      const [file, who, each, rotateAt] = process.argv.slice(1);
      const log = new AuditLog(file, () => new Date(), (line) => { process.stderr.write(line); process.exitCode = 1; }, { rotateAt: Number(rotateAt) });
      process.stdout.write('ready');
      process.stdin.once('data', () => {
        for (let n = 0; n < Number(each); n++) log.record({ channel: 'mcp', action: 'promote', outcome: 'refused', id: who + '-' + n });
        process.stdin.destroy();
      });`;
    for (let round = 0; round < 3; round++) {
      fs.rmSync(folder, { recursive: true });
      const children = Array.from({ length: writers }, (_, who) =>
        spawn(
          process.execPath,
          ['--no-warnings', '--input-type=module', '-e', program, file, String(who), String(each), String(rotateAt)],
          { stdio: ['pipe', 'pipe', 'inherit'] },
        ),
      );
      const ended = children.map((child) => once(child, 'exit'));
      await Promise.all(children.map((child) => once(child.stdout, 'data')));
      for (const child of children) child.stdin.write('go');
      expect(await Promise.all(ended)).toEqual(children.map(() => [0, null]));

      const files = fs.readdirSync(folder).sort();
      expect(files).toEqual(['audit.ndjson', 'audit.ndjson.1', 'audit.ndjson.2', 'audit.ndjson.3']);
      const found = files.flatMap((name) => lines(join(folder, name)).map((line) => line.id as string));
      expect(found.sort()).toEqual(expected);
      // Nobody rotated a file that another process had only just begun.
      for (const name of files.slice(1)) {
        expect(fs.statSync(join(folder, name)).size).toBeGreaterThan(rotateAt - 2 * LINE);
      }
    }
  });
});

describe('refused text is named without being kept', () => {
  test('the same text has the same name under one key, and another under another', () => {
    const key = Buffer.alloc(32, 1);
    const name = fingerprintRefused(key, 'sk-not-a-real-key');
    expect(name).toBe(createHmac('sha256', key).update('sk-not-a-real-key').digest('hex').slice(0, 32));
    expect(name).toMatch(/^[0-9a-f]{32}$/);
    expect(fingerprintRefused(key, 'sk-not-a-real-key')).toBe(name);
    expect(fingerprintRefused(key, 'sk-not-a-real-keX')).not.toBe(name);
    expect(fingerprintRefused(Buffer.alloc(32, 2), 'sk-not-a-real-key')).not.toBe(name);
  });

  test('the key is made once, random, and for the operator alone', () => {
    const state = join(folder, 'state');
    const key = fingerprintKey(state, new Disk(), complain);
    expect(key).toHaveLength(32);
    expect(fingerprintKey(state, new Disk(), complain)).toEqual(key);
    expect(fs.readFileSync(join(state, 'audit.key'))).toEqual(key);
    expect(mode(join(state, 'audit.key'))).toBe(0o600);
    expect(fingerprintKey(join(folder, 'other'), new Disk(), complain)).not.toEqual(key);
    expect(complaints).toEqual([]);
  });

  test('a damaged key, or a link in its place, is replaced and the link not followed', () => {
    const path = join(folder, 'audit.key');
    fs.writeFileSync(path, 'short');
    const key = fingerprintKey(folder, new Disk(), complain);
    expect(fs.readFileSync(path)).toEqual(key);
    const known = Buffer.alloc(32, 7);
    fs.writeFileSync(join(folder, 'known'), known);
    fs.rmSync(path);
    fs.symlinkSync(join(folder, 'known'), path);
    expect(fingerprintKey(folder, new Disk(), complain)).not.toEqual(known);
    expect(fs.readFileSync(join(folder, 'known'))).toEqual(known);
  });

  test('a key that cannot be kept is said, and texts still get a name', () => {
    fs.mkdirSync(join(folder, 'audit.key'));
    expect(fingerprintKey(folder, new Disk(), complain)).toHaveLength(32);
    expect(complaints).toEqual([expect.stringContaining('each process names one text in another way')]);
  });
});
