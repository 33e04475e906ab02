import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/core/refusal.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { asDiskRefusal, attempt } from '../../../src/store/disk/disk-errors.ts';
import { FaultyDisk } from '../../../testkit/faults.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

let folder: string;
let path: string;
const disk = new Disk();
const mode = (file: string) => fs.statSync(file).mode & 0o777;
const temporaries = () => fs.readdirSync(folder).filter((name) => name.startsWith('.tmp-'));

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'file.md');
});

describe('reading', () => {
  test('gives the bytes of an ordinary file, and says when there is none', () => {
    fs.writeFileSync(path, 'words');
    expect(disk.read(path, 100)).toMatchObject({ kind: 'file', bytes: Buffer.from('words') });
    expect(disk.read(join(folder, 'none'), 100)).toEqual({ kind: 'absent' });
    expect(disk.read(join(path, 'below-a-file'), 100)).toEqual({ kind: 'absent' });
    expect(disk.read(path, 5)).toMatchObject({ kind: 'file' });
    expect(disk.readFrom(path, 2)?.toString()).toBe('rds');
    expect(disk.readFrom(path, 9)?.toString()).toBe('');
    expect(disk.readStart(path, 3)).toMatchObject({ kind: 'file', bytes: Buffer.from('wor') });
  });

  test.each([
    ['symlink', () => fs.symlinkSync(outside(), path)],
    ['symlink', () => fs.symlinkSync(join(folder, 'nowhere'), path)],
    ['hard-link', () => fs.linkSync(outside(), path)],
    ['not-a-file', () => fs.mkdirSync(path)],
    // Without O_NONBLOCK this waits for a writer that never comes, and the test for its time to run out.
    ['not-a-file', () => execFileSync('mkfifo', [path])],
    ['too-large', () => fs.writeFileSync(path, 'x'.repeat(101))],
  ] as const)('refuses what is no ordinary file of its own: %s', (why, make) => {
    make();
    expect(disk.read(path, 100)).toEqual({ kind: 'refused', why });
    if (why === 'too-large') return;
    expect(disk.readFrom(path, 0)).toBeUndefined();
    expect(disk.stamp(path)).toBeUndefined();
    expect(disk.readStart(path, 10)).toEqual({ kind: 'absent' });
    expect(disk.exists(path)).toBe(true);
  });

  function outside(): string {
    const other = join(folder, 'outside');
    fs.writeFileSync(other, 'secret');
    return other;
  }
});

describe('replacing', () => {
  test('leaves a file of mode 0600, whatever was there, and nothing else', () => {
    disk.replace(path, 'new');
    expect(mode(path)).toBe(0o600);
    fs.chmodSync(path, 0o666);
    disk.replace(path, Buffer.from('newer'));
    expect(mode(path)).toBe(0o600);
    expect(fs.readFileSync(path, 'utf8')).toBe('newer');
    expect(fs.readdirSync(folder)).toEqual(['file.md']);
  });

  test('replaces a link itself and never what it leads to', () => {
    const other = join(folder, 'outside');
    fs.writeFileSync(other, 'theirs');
    fs.symlinkSync(other, path);
    disk.replace(path, 'ours');
    fs.linkSync(other, join(folder, 'hard'));
    disk.replace(join(folder, 'hard'), 'ours');
    expect(fs.readFileSync(other, 'utf8')).toBe('theirs');
    expect(fs.lstatSync(path).isFile()).toBe(true);
  });

  test('is the old bytes or the new ones at every failing step, with no temporary file left', () => {
    for (const moment of ['before', 'torn', 'after'] as const) {
      for (let at = 1; ; at++) {
        const failing = new FaultyDisk();
        fs.writeFileSync(path, 'old');
        failing.arm({ at, moment, how: 'EIO' });
        let failed = false;
        try {
          failing.replace(path, 'the new words');
        } catch (error) {
          failed = true;
          expect(error).toMatchObject({ code: 'EIO' });
        }
        expect(['old', 'the new words']).toContain(fs.readFileSync(path, 'utf8'));
        if (!failed) expect(fs.readFileSync(path, 'utf8')).toBe('the new words');
        expect(temporaries()).toEqual([]);
        if (!failing.struck) break;
      }
    }
  });

  test('is never seen half done, nor as missing, by another process', () => {
    const stop = join(folder, 'stop');
    const texts = ['a'.repeat(5000), 'b'.repeat(9000)];
    disk.replace(path, texts[0] ?? '');
    const start = `const { existsSync } = await import('node:fs');
      const { Disk } = await import(${JSON.stringify(new URL('../../../src/store/disk/disk.ts', import.meta.url).href)});
      const disk = new Disk(); const path = ${JSON.stringify(path)}; const stop = ${JSON.stringify(stop)};`;
    // The link count of a file that is being replaced is 0 for a moment, also for who asks by its name.
    const reader = `${start}
      const seen = new Set();
      while (!existsSync(stop)) {
        seen.add(disk.stamp(path)?.size ?? 'no stamp');
        seen.add(disk.readFrom(path, 0)?.length ?? 'no bytes');
        const entry = disk.read(path, 10_000);
        seen.add(entry.bytes === undefined ? entry.why ?? entry.kind : String(entry.bytes).replace(/a{5000}|b{9000}/, '').length + entry.bytes.length);
      }
      process.stdout.write(JSON.stringify([...seen].filter((what) => what !== 5000 && what !== 9000)));`;
    const writer = `${start}
      const texts = ${JSON.stringify(texts)};
      for (let n = 0; n < 2000; n++) disk.replace(path, texts[n % 2]);
      disk.create(stop, '');`;
    const both = '"$0" --input-type=module -e "$1" & "$0" --input-type=module -e "$2"; wait';
    const seen = execFileSync('/bin/sh', ['-c', both, process.execPath, writer, reader], { encoding: 'utf8' });
    expect(JSON.parse(seen)).toEqual([]);
  });

  test('does not take the place of a folder', () => {
    fs.mkdirSync(path);
    expect(() => disk.replace(path, 'words')).toThrow();
    expect(fs.statSync(path).isDirectory()).toBe(true);
    expect(temporaries()).toEqual([]);
  });
});

describe('creating and moving', () => {
  test('refuse a target that exists, also as a dangling link', () => {
    fs.writeFileSync(path, 'theirs');
    const link = join(folder, 'link.md');
    fs.symlinkSync(join(folder, 'nowhere'), link);
    const other = join(folder, 'other.md');
    fs.writeFileSync(other, 'ours');
    for (const target of [path, link]) {
      expect(() => disk.create(target, 'ours')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
      expect(() => disk.move(other, target)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    }
    expect(fs.readFileSync(path, 'utf8')).toBe('theirs');
    expect(fs.readFileSync(other, 'utf8')).toBe('ours');
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test('make a file 0600 under any umask, and folders 0700', () => {
    const before = process.umask(0o000);
    try {
      disk.makeFolder(join(folder, 'a', 'b', 'c'));
      for (const made of ['a', 'a/b', 'a/b/c']) expect(mode(join(folder, made))).toBe(0o700);
      disk.create(join(folder, 'a', 'one'), 'x');
      disk.append(join(folder, 'a', 'two'), 'x\n');
      process.umask(0o277);
      disk.create(join(folder, 'a', 'three'), 'x');
    } finally {
      process.umask(before);
    }
    for (const made of ['one', 'two', 'three']) expect(mode(join(folder, 'a', made))).toBe(0o600);
    fs.chmodSync(join(folder, 'a'), 0o755);
    disk.makeFolder(join(folder, 'a'));
    expect(mode(join(folder, 'a'))).toBe(0o755);
    expect(() => disk.makeFolder(join(folder, 'a', 'one'))).toThrow();
  });

  test('make every new folder durable in the one above it', () => {
    const counting = new FaultyDisk();
    counting.makeFolder(join(folder, 'a', 'b', 'c'));
    expect(counting.steps).toEqual(['mkdir', 'mkdir', 'mkdir', 'syncFolder', 'syncFolder', 'syncFolder']);
    counting.arm();
    counting.makeFolder(join(folder, 'a', 'b'));
    expect(counting.steps).toEqual([]);
  });

  test('say so where a folder’s names could not be made durable, and only a system without such a sync is let off', () => {
    class Unsettled extends Disk {
      code = '';
      protected override syncFolder(): void {
        throw Object.assign(new Error('injected'), { code: this.code });
      }
    }
    const unsettled = new Unsettled();
    const writes: readonly (() => void)[] = [
      () => unsettled.replace(path, 'words'),
      () => unsettled.append(join(folder, 'new.jsonl'), 'x\n'),
      () => unsettled.move(path, join(folder, 'moved.md')),
      () => unsettled.remove(join(folder, 'moved.md')),
      () => unsettled.makeFolder(join(folder, 'made')),
      () => unsettled.together(() => unsettled.replace(path, 'more words')),
    ];
    for (const code of ['EIO', 'ENOSPC', 'EACCES']) {
      unsettled.code = code;
      for (const write of writes) expect(write).toThrow(expect.objectContaining({ code }));
      // A file that was begun is taken back: its first line was not acknowledged.
      expect(fs.existsSync(join(folder, 'new.jsonl'))).toBe(false);
      fs.rmSync(path);
      fs.rmdirSync(join(folder, 'made'));
    }
    // The words must not be those of a write that failed: the file is there.
    unsettled.code = 'EIO';
    const thrown = thrownBy(() => unsettled.replace(path, 'words'));
    expect(fs.readFileSync(path, 'utf8')).toBe('words');
    const refusal = asDiskRefusal(thrown) as Refusal;
    expect(refusal.code).toBe('disk-failed');
    expect(refusal.message).toMatch(/^It cannot be relied on: the disk could not make it durable \(EIO\)/);
    for (const code of ['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM']) {
      unsettled.code = code;
      for (const write of writes) expect(write).not.toThrow();
      for (const left of [path, join(folder, 'new.jsonl')]) fs.rmSync(left);
      fs.rmdirSync(join(folder, 'made'));
    }
  });

  function thrownBy(work: () => void): unknown {
    try {
      work();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  test('moves a file whole and removes it from where it was', () => {
    fs.writeFileSync(path, 'words');
    fs.mkdirSync(join(folder, 'sub'));
    disk.move(path, join(folder, 'sub', 'file.md'));
    expect(disk.exists(path)).toBe(false);
    expect(fs.readFileSync(join(folder, 'sub', 'file.md'), 'utf8')).toBe('words');
    disk.remove(join(folder, 'sub', 'file.md'));
    expect(disk.names(join(folder, 'sub'))).toEqual([]);
    expect(disk.names(join(folder, 'nowhere'))).toEqual([]);
  });
});

describe('appending', () => {
  test('creates the file at first, tightens a loose mode, and adds at the end', () => {
    disk.append(path, 'one\n');
    expect(mode(path)).toBe(0o600);
    fs.chmodSync(path, 0o644);
    disk.append(path, 'two\n');
    expect(mode(path)).toBe(0o600);
    disk.appendCopy(path, Buffer.from('three\n'));
    expect(fs.readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  test.each(['before', 'torn', 'after'] as const)('that fails (%s a step) leaves no torn line', (moment) => {
    for (const how of ['ENOSPC', 'EIO', 'EROFS'] as const) {
      for (let at = 1; ; at++) {
        fs.writeFileSync(path, 'one\n');
        const failing = new FaultyDisk();
        failing.arm({ at, moment, how });
        let failed = false;
        try {
          failing.append(path, 'two and more\n');
        } catch {
          failed = true;
        }
        expect(fs.readFileSync(path, 'utf8')).toBe(failed ? 'one\n' : 'one\ntwo and more\n');
        if (!failing.struck) break;
      }
    }
  });

  test.each([
    ['a symlink', () => fs.symlinkSync(join(folder, 'outside'), path)],
    ['a dangling symlink', () => fs.symlinkSync(join(folder, 'nowhere'), path)],
    ['a hard link', () => fs.linkSync(join(folder, 'outside'), path)],
    ['a folder', () => fs.mkdirSync(path)],
    ['a FIFO', () => execFileSync('mkfifo', [path])],
  ])('and cutting refuse %s', (_, make) => {
    fs.writeFileSync(join(folder, 'outside'), 'theirs\n', { mode: 0o644 });
    make();
    expect(() => disk.append(path, 'ours\n')).toThrow(expect.objectContaining({ code: expect.stringMatching(/^E/) }));
    expect(() => disk.appendCopy(path, 'ours\n')).toThrow();
    expect(() => disk.truncate(path, 0)).toThrow();
    expect(fs.readFileSync(join(folder, 'outside'), 'utf8')).toBe('theirs\n');
    expect(mode(join(folder, 'outside'))).toBe(0o644);
    expect(fs.existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  test('a FIFO that somebody reads gets nothing either', () => {
    execFileSync('mkfifo', [path]);
    const reader = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    expect(() => disk.append(path, 'ours\n')).toThrow(expect.objectContaining({ code: 'EMLINK' }));
    expect(fs.readSync(reader, Buffer.alloc(10))).toBe(0);
    fs.closeSync(reader);
  });

  test('cutting keeps the first bytes and creates nothing', () => {
    fs.writeFileSync(path, 'one\ntw');
    disk.truncate(path, 4);
    expect(fs.readFileSync(path, 'utf8')).toBe('one\n');
    expect(() => disk.truncate(join(folder, 'none'), 0)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(disk.exists(join(folder, 'none'))).toBe(false);
  });
});

describe('failures in words', () => {
  test('are refusals that say whether there is room, and leave bugs what they are', () => {
    const full = asDiskRefusal(Object.assign(new Error('x'), { code: 'ENOSPC' })) as Refusal;
    expect(full).toBeInstanceOf(Refusal);
    expect(full).toMatchObject({ code: 'disk-failed', retryable: true });
    expect(full.message).toContain('the disk is full');
    expect((asDiskRefusal(Object.assign(new Error('x'), { code: 'EIO' })) as Refusal).message).toContain('EIO');
    const bug = new TypeError('a bug');
    expect(asDiskRefusal(bug)).toBe(bug);
    expect(asDiskRefusal(full)).toBe(full);
  });

  test('that must stop nothing are told', () => {
    const lines: string[] = [];
    expect(
      attempt(
        (line) => lines.push(line),
        'it was not marked',
        () => {
          throw Object.assign(new Error('x'), { code: 'EIO' });
        },
      ),
    ).toBe(false);
    expect(lines).toEqual(['surety: it was not marked (EIO)']);
    expect(
      attempt(
        () => undefined,
        '',
        () => undefined,
      ),
    ).toBe(true);
  });
});
