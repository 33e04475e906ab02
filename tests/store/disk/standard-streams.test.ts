import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../testkit/store.ts';

const MODULE = join(import.meta.dirname, '../../../src/store/disk/standard-streams.ts');
const READ = `const { readStdin, isTypedIn } = await import(${JSON.stringify(MODULE)});
  const size = [...readStdin()].reduce((sum, { length }) => sum + length, 0);
  console.log(JSON.stringify({ size, isTypedIn: isTypedIn() }));`;
const WRITE = `const { writeTo } = await import(${JSON.stringify(MODULE)}); writeTo('stdout', 'x'.repeat(300_000)); writeTo('stderr', 'done');`;

/** Both ends of a pipe that does not block. */
function openPipe(): { readonly from: number; readonly to: number } {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const from = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { from, to: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

function started(code: string, stdio: ['pipe' | number, 'pipe' | number, 'pipe']) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio });
  const told = { out: '', err: '' };
  child.stdout?.on('data', (part) => {
    told.out += part;
  });
  child.stderr?.on('data', (part) => {
    told.err += part;
  });
  const ended = new Promise<number | null>((done) => child.on('close', done));
  return { child, told, ended };
}

test('input that comes in pieces is read to its end', async () => {
  const { child, told, ended } = started(READ, ['pipe', 'pipe', 'pipe']);
  for (const piece of ['a'.repeat(70_000), 'b', 'c'.repeat(200_000)]) {
    child.stdin?.write(piece);
    await sleep(100);
  }
  child.stdin?.end();
  expect(await ended).toBe(0);
  expect(JSON.parse(told.out)).toEqual({ size: 270_001, isTypedIn: false });
});

test.skipIf(process.platform === 'win32')('input of a pipe that does not block is waited for', async () => {
  const { from, to } = openPipe();
  const { told, ended } = started(READ, [from, 'pipe', 'pipe']);
  closeSync(from);
  await sleep(300);
  writeSync(to, 'late');
  closeSync(to);
  expect(await ended).toBe(0);
  expect(JSON.parse(told.out)).toMatchObject({ size: 4 });
});

test.skipIf(process.platform === 'win32')('a pipe that is full is waited for, and gets all of the text', async () => {
  const { from, to } = openPipe();
  const { told, ended } = started(WRITE, ['pipe', to, 'pipe']);
  closeSync(to);
  let got = 0;
  const portion = Buffer.alloc(65_536);
  await expect
    .poll(() => {
      try {
        for (let size = readSync(from, portion); size > 0; size = readSync(from, portion)) got += size;
      } catch {
        // Nothing is there yet.
      }
      return got;
    })
    .toBe(300_000);
  closeSync(from);
  expect(await ended).toBe(0);
  expect(told.err).toBe('done');
});

test('nothing happens where the other end is closed', async () => {
  const { child, told, ended } = started(WRITE, ['pipe', 'pipe', 'pipe']);
  child.stdout?.destroy();
  expect(await ended).toBe(0);
  expect(told.err).toBe('done');
});
