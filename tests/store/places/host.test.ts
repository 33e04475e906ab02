import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type MachineSources, thisMachine } from '../../../src/store/places/host.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

const SAID = {
  darwin: '    "IOPlatformUUID" = "11111111-2222-3333-4444-555555555555"',
  win32: '    MachineGuid    REG_SZ    11111111-2222-3333-4444-555555555555',
} as const;

test.each(['darwin', 'win32'] as const)('on %s the program is started once, by its absolute path', (platform) => {
  const ran: string[] = [];
  const sources = (mark: string): MachineSources => ({
    platform,
    cache,
    mark: () => mark,
    run: (command) => {
      ran.push(command);
      return SAID[platform];
    },
  });
  const cache = join(temporaryFolder(), 'machine-id');
  const first = thisMachine(sources('this installation'));
  expect(thisMachine(sources('this installation'))).toEqual(first);
  expect(ran).toHaveLength(1);
  expect(ran[0]).toMatch(/^(\/|C:\\)/);
  // What was kept on one installation says nothing on another.
  thisMachine(sources('another installation'));
  expect(ran).toHaveLength(2);
});

test('on Linux the id is looked for in two files, and a key made when there was none is still this machine’s', () => {
  const at = (files: Record<string, string>) => thisMachine({ platform: 'linux', read: (path) => files[path] });
  const etc = at({ '/etc/machine-id': 'one' });
  expect(at({ '/var/lib/dbus/machine-id': 'one' }).identity).toBe(etc.identity);
  const none = at({});
  expect(etc.identity).not.toBe(none.identity);
  expect(etc.others).toContain(none.identity);
});
