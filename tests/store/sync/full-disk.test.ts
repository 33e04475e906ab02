import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { canWrap, FULL } from '../../../testkit/bad-disk.ts';
import { BODY, bareRemote, git, Machine, memoryFile } from '../../../testkit/fleet.ts';
import { MAIN } from '../../../testkit/program.ts';
import { temporaryFolder } from '../../../testkit/store.ts';

const MEMORIES = 300;

/**
 * A home on a disk with so much room: it syncs, and again once there is more. What each said and what was there afterwards
 * comes into files beside the home.
 */
function syncedWith(room: string): readonly string[] {
  const told = (which: string) => `> "$HOME.${which}" 2>&1; echo $? >> "$HOME.${which}"`;
  return [
    'unshare',
    '-rm',
    'sh',
    '-c',
    `mount -t tmpfs -o size=24m,mode=700 tmpfs "$HOME" || exit 99
cd "$HOME"; export XDG_CACHE_HOME="$HOME.cache"; "$@" init --remote "$REMOTE" || exit 98
dd if=/dev/zero of=filler bs=4k 2>/dev/null; truncate -s -${room} filler
"$@" sync ${told('first')}
find .surety -name '.tmp-*' >> "$HOME.first"
rm filler; "$@" sync ${told('second')}
ls .surety/memories | wc -l >> "$HOME.second"; git -C .surety status --porcelain >> "$HOME.second"`,
    'sh',
  ];
}

function run(home: string, remote: string, wrap: readonly string[]): Promise<number> {
  const { PATH = '', GIT_CONFIG_GLOBAL = '' } = process.env;
  const env = { PATH, HOME: home, REMOTE: remote, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM: '1' };
  const [program = '', ...rest] = [...wrap, process.execPath, MAIN];
  return new Promise((done) =>
    execFile(program, rest, { env, cwd: home }, (error) => done(error ? Number(error.code) : 0)),
  );
}

const onSmallDisks = canWrap(FULL) ? test : test.skip;

onSmallDisks.each([
  ['while what came in is written', '1200K'],
  ['while git fetches', '40K'],
])('a disk that fills up %s: what is there is told, and the next sync goes on from there', async (_when, room) => {
  const [home, remote] = [temporaryFolder(), bareRemote()];
  onTestFinished(() => {
    for (const which of ['first', 'second', 'cache']) rmSync(`${home}.${which}`, { recursive: true, force: true });
  });
  const desk = await Machine.open('desk', remote);
  // Small for git, which packs it, and large for a folder.
  for (let n = 0; n < MEMORIES; n++)
    desk.store.write('memories', `user_note_${n}`, memoryFile(`Note ${n}`, `${BODY} Number ${n}. `.repeat(60)));
  expect(await desk.sync()).toMatchObject({ code: 0, sent: MEMORIES });
  git(remote, 'gc', '--quiet');

  expect(await run(home, remote, syncedWith(room))).toBe(0);
  const first = readFileSync(`${home}.first`, 'utf8').replaceAll(/\s+/g, ' ');
  expect(first).toContain('Sync stopped before it was done: the disk is full. Each memory is whole');
  expect(first).toContain('then run surety sync again: it goes on from there. 6');
  expect(first).not.toContain('Nothing was changed');
  expect(first).not.toContain('.tmp-');
  const second = readFileSync(`${home}.second`, 'utf8');
  expect(second).toContain('All is well.');
  expect(second.trimEnd().split('\n').slice(-2)).toEqual(['0', `${MEMORIES}`]);
});

/** A home whose remote lies on a disk of its own that has no room. */
const WITH_FULL_REMOTE = [
  'unshare',
  '-rm',
  'sh',
  '-c',
  `mount -t tmpfs -o size=400k,mode=700 tmpfs "$REMOTE" && git -C "$REMOTE" init --quiet --bare || exit 99
cd "$HOME"; "$@" init --remote "$REMOTE" || exit 98
dd if=/dev/zero of="$REMOTE/filler" bs=4k 2>/dev/null
"$@" sync > "$HOME.first" 2>&1; echo $? >> "$HOME.first"
exit 0`,
  'sh',
];

onSmallDisks('a disk that is full at the remote is not taken for this one', async () => {
  const [home, remote] = [temporaryFolder(), temporaryFolder()];
  onTestFinished(() => rmSync(`${home}.first`, { force: true }));
  expect(await run(home, remote, WITH_FULL_REMOTE)).toBe(0);
  const said = readFileSync(`${home}.first`, 'utf8').replaceAll(/\s+/g, ' ');
  expect(said).toContain(`The disk of the remote ${remote} is full, so it took nothing.`);
  expect(said).not.toContain('check the store’s permissions');
  expect(said.trimEnd().endsWith(' 6')).toBe(true);
});
