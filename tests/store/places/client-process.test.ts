import { describe, expect, test } from 'vitest';
import { clientProcess, isRunning } from '../../../src/store/places/client-process.ts';

/** Processes by their ids: the parent, the start and the name. */
type Table = Readonly<Record<number, readonly [parent: number, started: string, name: string]>>;

const TABLE: Table = {
  10: [1, '100', 'init (one) x'],
  20: [10, '200', 'claude'],
  30: [20, '300', 'sh'],
  40: [30, '400', 'bash'],
  50: [1, '500', '-zsh'],
};

function linux(parent: number) {
  const read = (path: string) => {
    const pid = Number(/^\/proc\/(\d+)\/stat$/.exec(path)?.[1]);
    const [above, started, name] = TABLE[pid] ?? [];
    if (name === undefined) throw new Error('no such process');
    return `${pid} (${name}) S ${above} ${'0 '.repeat(17)}${started} 0 0\n`;
  };
  return { platform: 'linux', parent, read } as const;
}

function mac(parent: number) {
  const run = (command: string, args: readonly string[]) => {
    expect(command).toBe('/bin/ps');
    const [above, started, name] = TABLE[Number(args.at(-1))] ?? [];
    return name === undefined
      ? ''
      : ` ${above} Sun Nov 15 23:1${Number(started) / 100}:15 2026     /opt/bin dir/${name}\n`;
  };
  return { platform: 'darwin', parent, run } as const;
}

describe.each([
  ['Linux', linux],
  ['macOS', mac],
])('on %s', (_, on) => {
  test('the client is the parent, or the one above a shell', () => {
    expect(clientProcess(on(20))).toMatchObject({ pid: 20 });
    expect(clientProcess(on(30))).toEqual(clientProcess(on(20)));
  });

  test('nobody is the client where a person typed the command, and where the process is gone', () => {
    for (const parent of [40, 50, 99]) expect(clientProcess(on(parent)), String(parent)).toBeUndefined();
  });

  test('a process with the same id that started later is another one', () => {
    const client = clientProcess(on(20)) ?? { pid: 0, started: '' };
    expect(isRunning(client, on(1))).toBe(true);
    expect(isRunning({ ...client, started: `${client.started}0` }, on(1))).toBe(false);
    expect(isRunning({ ...client, pid: 99 }, on(1))).toBe(false);
  });
});

test('Windows tells no client', () => {
  expect(clientProcess({ platform: 'win32', parent: 20 })).toBeUndefined();
});

test('this process has the one that started it', () => {
  expect(clientProcess()).toEqual({ pid: expect.any(Number), started: expect.any(String) });
});
