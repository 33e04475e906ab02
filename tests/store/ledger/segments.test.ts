import { generateKeyPairSync } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type EntryDraft, fingerprintOf, hashOf, signEntries } from '../../../src/core/ledger/entry.ts';
import { cutText, joinTexts, nameOfSegment, segmentNamed } from '../../../src/core/ledger/segments.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { bytesAt, SEGMENTS, segmented } from '../../../src/store/ledger/ledger-bytes.ts';
import { LedgerFile } from '../../../src/store/ledger/ledger-file.ts';
import { LedgerLines } from '../../../src/store/ledger/ledger-lines.ts';
import { EVERYTHING, FaultyDisk } from '../../../testkit/faults.ts';

const pair = generateKeyPairSync('ed25519');
const publicKey = pair.publicKey.export({ format: 'jwk' }).x ?? '';
const signer = { machine: 'here', publicKey, privateKey: pair.privateKey };
const FINGERPRINT = fingerprintOf(publicKey);
const STORE = 'ab'.repeat(16);
const AT = Date.UTC(2026, 0, 1);
const ground = mkdtempSync(join(tmpdir(), 'surety-segments-'));
let folder: string;
let made = 0;

beforeEach(() => {
  folder = join(ground, String(made++));
  mkdirSync(folder);
});
afterAll(() => rmSync(ground, { recursive: true, force: true }));

/** A record of about so many bytes. */
function draft(about: string, bytes = 0): EntryDraft {
  return {
    by: { actor: 'agent', channel: 'tool', level: 0, client: null },
    settings: { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 },
    rules: 'rules',
    action: 'seen',
    id: about,
    from: null,
    to: null,
    digest: null,
    saying: null,
    reason: 'x'.repeat(bytes),
    settled: [],
    replaces: null,
    after: [],
  };
}

const place = (disk: Disk = new Disk(), at = folder) => segmented(disk, at, FINGERPRINT);

function open(disk: Disk = new Disk(), at = folder): LedgerFile {
  return new LedgerFile({ fingerprint: FINGERPRINT, raises: true }, place(disk, at), disk, undefined);
}

function read(at = folder): LedgerFile {
  const file = open(new Disk(), at);
  file.takeIn();
  return file;
}

/** What `Ledgers` does with lines of this machine. */
function write(file: LedgerFile, drafts: readonly EntryDraft[], store: string | null = STORE) {
  const lines = signEntries(drafts, file, AT, signer, store ?? undefined);
  const { files, isNewFile } = file.append(lines);
  expect(file.takeIn({ signed: lines.at(-1), appended: files })).toBe(true);
  if (isNewFile) file.joinFiles();
  return lines;
}

const names = (at = folder) => readdirSync(at).sort();
const sizes = (at = folder) => names(at).map((name) => statSync(join(at, name)).size);
const linesOf = (file: LedgerFile) => [...new LedgerLines(file.bytes)];

/** So many files of one chain, of three lines each. */
function chain(files: number): string[][] {
  const lines = signEntries(
    Array.from({ length: files * 3 }, (_, i) => draft(`user_${i}`)),
    { head: { count: 0, hash: null }, lastAt: 0 },
    AT,
    signer,
    STORE,
  );
  const pieces = Array.from({ length: files }, (_, i) => lines.slice(i * 3, i * 3 + 3));
  for (const [i, piece] of pieces.entries()) put(i * 3, piece);
  return pieces;
}

function put(first: number, lines: readonly string[]): void {
  writeFileSync(join(folder, nameOfSegment({ fingerprint: FINGERPRINT, first })), lines.map((l) => `${l}\n`).join(''));
}

test('a name says which part of which ledger a file is, and each part has one name', () => {
  for (const first of [0, 1, 174, 999_999_999, 1_000_000_000]) {
    const name = nameOfSegment({ fingerprint: FINGERPRINT, first });
    expect(segmentNamed(name)).toEqual({ fingerprint: FINGERPRINT, first });
  }
  expect(nameOfSegment({ fingerprint: FINGERPRINT, first: 174 })).toBe(`${FINGERPRINT}.000000174.jsonl`);
  for (const wrong of ['000000000', '174', '0000000174', '00000017x', 'was-0123', '-00000174'])
    expect(segmentNamed(`${FINGERPRINT}.${wrong}.jsonl`), wrong).toBeUndefined();
});

describe('files of one ledger are read in order as one chain', () => {
  test('with nothing twice, whatever was joined before a kill or brought back by git', () => {
    const pieces = chain(4);
    const lines = pieces.flat();
    const whole = read();
    expect([whole.damage, whole.head]).toEqual([undefined, { count: 12, hash: hashOf(lines.at(-1) ?? '') }]);
    const repeats: (readonly (readonly [number, readonly string[]])[])[] = [
      [[0, lines.slice(0, 6)]],
      [[0, lines]],
      [[0, lines.slice(0, 5)]],
      [[3, lines.slice(3, 12)]],
      [
        [0, lines.slice(0, 9)],
        [9, lines.slice(9, 10)],
      ],
    ];
    for (const files of repeats) {
      for (const [i, piece] of pieces.entries()) put(i * 3, piece);
      for (const [first, some] of files) put(first, some);
      const found = read();
      const told = JSON.stringify(files.map(([first, some]) => [first, some.length]));
      const kept = told === '[[0,9],[9,1]]' ? 10 : 12;
      expect([found.damage, found.head.count, linesOf(found)], told).toEqual([undefined, kept, lines.slice(0, kept)]);
      expect(
        joinTexts(
          place()
            .paths()
            .map((path) => readFileSync(path, 'utf8')),
        ),
      ).toBe(
        lines
          .slice(0, kept)
          .map((line) => `${line}\n`)
          .join(''),
      );
    }
  });

  test('where two of them say different things of one entry it is forked, and each line still lowers by itself', () => {
    const lines = chain(2).flat();
    const other = signEntries(
      [draft('user_other')],
      { head: { count: 2, hash: hashOf(lines[1] ?? '') }, lastAt: AT },
      AT,
      signer,
      STORE,
    );
    put(2, other);
    const found = read();
    expect(found.damage).toBe('forked');
    expect(found.statements.count).toBe(7);
    put(2, []);
    expect(read().damage).toBeUndefined();
  });

  test('a file that is missing in front or in the middle breaks it, one at the end cuts it', () => {
    const lines = chain(3).flat();
    const path = (first: number) => place().at(first);
    for (const [first, damage, count] of [
      [0, 'broken', 6],
      [3, 'broken', 6],
      [6, undefined, 6],
    ] as const) {
      const saved = readFileSync(path(first));
      rmSync(path(first));
      expect([read().damage, read().statements.count], String(first)).toEqual([damage, count]);
      writeFileSync(path(first), saved);
    }
    expect(linesOf(read())).toEqual(lines);
  });

  test('the bound on bytes counts all of them together', () => {
    chain(3);
    const total = sizes().reduce((sum, size) => sum + size, 0);
    const file = open();
    file.takeIn({ atMost: total - 1 });
    expect(file.damage).toBe('too-large');
    const fits = open();
    fits.takeIn({ atMost: total });
    expect([fits.damage, fits.bytesRead]).toEqual([undefined, total]);
    for (let i = 0; i <= SEGMENTS.files; i++) put(1_000 + i, []);
    expect(read().damage).toBe('too-large');
  });

  test('one that is listed and then joined to another before it is opened is not missed', () => {
    const pieces = chain(3);
    const paths = place().paths();
    put(0, pieces.slice(0, 2).flat());
    rmSync(place().at(3));
    const file = open();
    file.takeIn({ paths });
    expect([file.damage, file.head.count]).toEqual([undefined, 9]);
  });

  test('a join between the look at the files and the reading of them is noticed', () => {
    const pieces = chain(3);
    class Joined extends Disk {
      joined = false;
      override readPortions(path: string, offset: number): Iterable<Buffer | undefined> {
        if (!this.joined && path.endsWith('.000000003.jsonl')) {
          this.joined = true;
          // As `replace` does it: another file under the name of the first.
          rmSync(place().at(0));
          put(0, pieces.slice(0, 2).flat());
          rmSync(path);
        }
        return super.readPortions(path, offset);
      }
    }
    const disk = new Joined();
    const file = open(disk);
    expect(file.takeIn()).toBe(true);
    expect([disk.joined, file.damage, file.head.count]).toEqual([true, undefined, 9]);
  });
});

describe('what was read goes on', () => {
  /** How many bytes of lines were read. */
  class Counting extends Disk {
    bytes = 0;
    override *readPortions(path: string, offset: number): Iterable<Buffer | undefined> {
      for (const portion of super.readPortions(path, offset)) {
        this.bytes += portion?.length ?? 0;
        yield portion;
      }
    }
  }

  test('in the open file, in a new one, and after a join, with nothing read twice', () => {
    const writer = open();
    write(writer, [draft('user_0', 60_000)]);
    const disk = new Counting();
    const reader = open(disk);
    expect(reader.takeIn()).toBe(true);
    const { statements } = reader;
    for (let i = 1; i < 180; i++) {
      disk.bytes = 0;
      const [line = ''] = write(writer, [draft(`user_${i}`, 60_000)]);
      expect(reader.takeIn(), String(i)).toBe(true);
      expect(disk.bytes, String(i)).toBe(line.length + 1);
    }
    expect(reader.statements).toBe(statements);
    expect([reader.damage, reader.head]).toEqual([undefined, writer.head]);
    expect(statSync(place().at(0)).size).toBeGreaterThan(SEGMENTS.joined - SEGMENTS.open);
  });

  test('an entry takes one listing of the folder, and no look at the files that are full', () => {
    class Looks extends Disk {
      listings = 0;
      readonly looked: string[] = [];
      override names(path: string): string[] {
        this.listings += 1;
        return super.names(path);
      }
      override stamp(path: string) {
        this.looked.push(basename(path));
        return super.stamp(path);
      }
    }
    const disk = new Looks();
    const writer = open(disk);
    for (let i = 0; i < 20; i++) write(writer, [draft(`user_${i}`, 60_000)]);
    writer.takeIn();
    [disk.listings, disk.looked.length] = [0, 0];
    write(writer, [draft('user_small')]);
    expect(disk.listings).toBe(1);
    expect(new Set(disk.looked)).toEqual(new Set([basename(place().at(19))]));
    // Lines that another process wrote into the file that was open before are noticed all the same.
    const other = open();
    other.takeIn();
    write(writer, [draft('user_next')]);
    expect(() => other.append([''])).toThrow();
    expect(read().head).toEqual(writer.head);
  });

  test('after a join also where a passkey is required; not where a line is another one afterwards', () => {
    const writer = open();
    const passkeys = { recovery: 'a'.repeat(64), ledgers: [] };
    write(writer, [{ ...draft('passkeys', 60_000), action: 'required', passkeys }]);
    const reader = open();
    expect([reader.takeIn(), reader.requiresPasskey]).toEqual([true, true]);
    const { statements } = reader;
    for (let i = 1; i < 90; i++) {
      write(writer, [draft(`user_${i}`, 60_000)]);
      expect(reader.takeIn(), String(i)).toBe(true);
    }
    expect(reader.statements).toBe(statements);
    expect([reader.damage, reader.head]).toEqual([undefined, writer.head]);
    // The same number of bytes in fewer files, and not the same lines.
    const lines = linesOf(writer);
    const other = lines.map((line, i) => (i === 40 ? line.replace('user_40', 'user_04') : line));
    for (const name of names()) rmSync(join(folder, name));
    put(0, other);
    expect(reader.takeIn()).toBe(false);
  });
});

describe('writing', () => {
  test('no open file is over its size, full ones are joined line for line, and not one is over theirs', () => {
    const file = open();
    const lines: string[] = [];
    for (let i = 0; i < 300; i++) lines.push(...write(file, [draft(`user_${i}`, 40_000)]));
    const [open_, ...full] = place()
      .paths()
      .map((path) => statSync(path).size)
      .reverse();
    expect(open_).toBeLessThanOrEqual(SEGMENTS.open);
    for (const size of full) expect(size).toBeLessThanOrEqual(SEGMENTS.joined);
    expect(full.filter((size) => size > SEGMENTS.open).length).toBe(2);
    expect(names().length).toBeLessThan(45);
    expect(linesOf(read())).toEqual(lines);
    for (const name of names()) {
      const first = readFileSync(join(folder, name), 'utf8').split('\n')[0] ?? '';
      expect(JSON.parse(first).seq).toBe(segmentNamed(name)?.first);
    }
  });

  test('an old file stays one, however large, up to the line that ends it; what follows begins another', () => {
    const file = open();
    for (let i = 0; i < 5; i++) write(file, [draft(`user_${i}`, 50_000)], null);
    expect(names()).toEqual([`${FINGERPRINT}.jsonl`]);
    write(file, [draft('user_upgrade')]);
    expect(names()).toEqual([`${FINGERPRINT}.jsonl`]);
    write(file, [draft('user_after')]);
    expect(names()).toEqual([`${FINGERPRINT}.000000006.jsonl`, `${FINGERPRINT}.jsonl`]);
    expect([read().damage, read().head.count]).toEqual([undefined, 7]);
  });

  test('lines that are too many for an open file are written as one that is full', () => {
    const file = open();
    write(file, [draft('user_first')]);
    write(
      file,
      Array.from({ length: 5 }, (_, i) => draft(`user_${i}`, 50_000)),
    );
    write(file, [draft('user_last')]);
    expect(
      names()
        .map((name) => segmentNamed(name)?.first)
        .sort(),
    ).toEqual([0, 1, 6]);
    expect([read().damage, read().head.count]).toEqual([undefined, 7]);
  });

  test.each(['another file', 'the open file'] as const)(
    'what another process wrote in %s meanwhile is not written over',
    (where) => {
      const file = open();
      write(file, [draft('user_0', 60_000), draft('user_1', 60_000)]);
      const here = where === 'another file';
      class Overtaken extends Disk {
        override append(path: string, text: string | Buffer, end?: number): void {
          const other = open();
          other.takeIn();
          // One of the two lines fits into the open file, and the other one does not.
          write(other, [draft('user_other', here ? 60_000 : 10)]);
          super.append(path, text, end);
        }
      }
      const late = open(new Overtaken());
      late.takeIn();
      expect(() => late.append(signEntries([draft('user_late', here ? 10 : 60_000)], late, AT, signer, STORE))).toThrow(
        expect.objectContaining({ code: 'EAGAIN' }),
      );
      const found = read();
      expect([found.damage, found.head.count]).toEqual([undefined, 3]);
      expect(linesOf(found).at(-1)).toContain('user_other');
    },
  );
});

describe('a process that dies at any step of a write that begins a file and joins others', () => {
  let before: string[];
  let base: string;

  beforeEach(() => {
    base = folder;
    const file = open();
    // Three files, of which two fit together: the next line begins a fourth, and those two are joined.
    before = [0, 1, 2].flatMap((n) =>
      write(
        file,
        Array.from({ length: 40 }, (_, i) => draft(`user_${n}_${i}`, 50_000)),
      ),
    );
  });

  function copy(): string {
    const to = join(ground, String(made++));
    mkdirSync(to);
    for (const name of names(base)) copyFileSync(join(base, name), join(to, name));
    return to;
  }

  test('leaves every line that was there, and the next write joins the rest', () => {
    const trial = new FaultyDisk();
    const at = copy();
    const whole = open(trial, at);
    whole.takeIn();
    trial.arm();
    write(whole, [draft('user_next', 62_000)]);
    const steps = [...trial.steps];
    expect(steps).toContain('rename');
    expect(steps).toContain('unlink');
    expect(names(base).length).toBe(3);
    expect(sizes(at).filter((size) => size > 4_000_000).length).toBe(1);
    expect(names(at).length).toBe(3);
    for (const [n, step] of steps.entries()) {
      for (const moment of step === 'write' ? (['before', 'torn'] as const) : (['before'] as const)) {
        const where = `${moment} step ${n + 1} (${step})`;
        const home = copy();
        const disk = new FaultyDisk();
        const file = open(disk, home);
        file.takeIn();
        disk.arm({ at: n + 1, moment, how: 'die', lasting: EVERYTHING });
        try {
          write(file, [draft('user_next', 62_000)]);
        } catch {
          // It died.
        }
        expect(disk.struck, where).toBe(true);
        const found = read(home);
        expect(found.damage, where).toBeUndefined();
        expect(linesOf(found).slice(0, before.length), where).toEqual(before);
        for (let i = 0; i < 3; i++) write(found, [draft(`user_after_${i}`, 62_000)]);
        const after = read(home);
        expect([after.damage, linesOf(after).slice(0, before.length)], where).toEqual([undefined, before]);
        const left = bytesAt(new Disk(), place(new Disk(), home).paths());
        expect(
          left.parts.every(({ repeats }) => repeats === 0),
          where,
        ).toBe(true);
        rmSync(home, { recursive: true });
      }
    }
  });
});

test('a text is cut where its files begin, and whatever it is cut into is joined again', () => {
  const lines = chain(4).flat();
  const text = lines.map((line) => `${line}\n`).join('');
  const cut = cutText(text, [0, 3, 6, 9, 40]);
  expect([...cut.keys()]).toEqual([0, 3, 6, 9]);
  for (const [first, part] of cut) expect(part).toBe(readFileSync(join(folder, basename(place().at(first))), 'utf8'));
  expect(joinTexts([...cut.values()])).toBe(text);
  expect([...cutText(text, []).values()]).toEqual([text]);
});
