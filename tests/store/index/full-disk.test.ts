import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { thisMachine } from '../../../src/store/places/host.ts';
import { canWrap, FULL } from '../../../testkit/bad-disk.ts';
import { MAIN } from '../../../testkit/program.ts';
import { TestStore } from '../../../testkit/store.ts';

const onSmallDisks = canWrap(FULL) ? test : test.skip;

/** A home without an index, on a disk that has room for a part of one. */
const WITHOUT_INDEX = `
cp -a "$HOME" "$HOME.copy" && mount -t tmpfs -o size=8m,mode=700 tmpfs "$HOME" && cp -a "$HOME.copy/." "$HOME" || exit 99
cd "$HOME"; rm -rf .cache
for i in $(seq 1 599); do sed "s/One/$i/" .surety/memories/user_one.md > ".surety/memories/user_note_$i.md"; done
dd if=/dev/zero of=filler bs=4k 2>/dev/null; truncate -s -600K filler
"$@" list > "$HOME.said" 2>&1; echo "exit $?" >> "$HOME.said"`;

/** A home with an index, on a disk with so much room after a file was edited and another one put beside it. */
const script = (room: string) => `
cp -a "$HOME" "$HOME.copy" && mount -t tmpfs -o size=8m,mode=700 tmpfs "$HOME" && cp -a "$HOME.copy/." "$HOME" || exit 99
cd "$HOME"; "$@" list > /dev/null || exit 98
before=$(stat -c %i.%s .cache/surety/*/index-*.db)
echo 'The second line.' >> .surety/memories/user_one.md
sed 's/Note/Other/' .surety/memories/user_two.md > .surety/memories/user_three.md
dd if=/dev/zero of=filler bs=4k 2>/dev/null; truncate -s -${room} filler
"$@" list > "$HOME.said" 2>&1; echo "exit $?" >> "$HOME.said"
"$@" search 'the second line' >> "$HOME.said" 2>&1; echo "exit $?" >> "$HOME.said"
"$@" status >> "$HOME.said" 2>&1; echo "exit $?" >> "$HOME.said"
"$@" doctor >> "$HOME.said" 2>&1; echo "exit 0" >> "$HOME.said"
[ "$before" = "$(stat -c %i.%s .cache/surety/*/index-*.db)" ] && echo 'the index is the same' >> "$HOME.said"
rm filler; "$@" list >> "$HOME.said" 2>&1; echo "exit $?" >> "$HOME.said"`;

/** A home with these memories. `run` runs a script there, with the program as its arguments, and returns what it wrote into `$HOME.said`. */
async function homeWith(files: Readonly<Record<string, string>>) {
  const store = await TestStore.open({ machine: thisMachine() });
  for (const [stem, content] of Object.entries(files)) store.write('memories', stem, content);
  store.vault.close();
  onTestFinished(() => {
    for (const which of ['said', 'copy']) rmSync(`${store.home}.${which}`, { recursive: true, force: true });
  });
  const env = { PATH: process.env.PATH ?? '', HOME: store.home };
  const run = async (script: string) => {
    const code = await new Promise((done) =>
      execFile('unshare', ['-rm', 'sh', '-c', script, 'sh', process.execPath, MAIN], { env }, (error) =>
        done(error ? Number(error.code) : 0),
      ),
    );
    expect(code).toBe(0);
    return readFileSync(`${store.home}.said`, 'utf8');
  };
  return { run };
}

onSmallDisks.each(['0', '40K'])('with %s of room, what is stored can be read, and the index stays', async (room) => {
  const { run } = await homeWith({
    user_one: fileWith({}, 'One is here.'),
    user_two: fileWith({}, 'Two is here.'),
  });
  const said = await run(script(room));
  const [listed = '', found = '', status = '', doctor = '', afterwards = ''] = said.split('exit 0');
  for (const id of ['user_one', 'user_two']) expect(listed).toContain(id);
  // Where even the file that processes share has no room, everything is read into memory.
  const isInMemory = room === '0';
  expect(listed.includes('user_three')).toBe(isInMemory);
  expect(listed).toMatch(isInMemory ? /keeps one in memory/ : /the disk is full, so what is new in \d memory files/);
  expect(found.includes('The second line.')).toBe(isInMemory);
  expect(status).toMatch(
    isInMemory ? /index +complete, kept in memory/ : /index +not complete, because the disk is full/,
  );
  expect(doctor).toMatch(isInMemory ? /index-in-memory/ : /index-without-room/);
  expect(said).toContain('the index is the same');
  expect(afterwards).toContain('user_three');
  expect(afterwards).not.toMatch(/full|memory;/);
});

onSmallDisks(
  'where a first index has room for a part of the memories only, all of them are read into memory',
  async () => {
    const { run } = await homeWith({ user_one: fileWith({}, 'One is here.') });
    const said = await run(WITHOUT_INDEX);
    expect(said.match(/user_\w+ +│/g)).toHaveLength(600);
    expect(said).toContain('keeps one in memory');
    expect(said).not.toContain('what is new');
  },
);

/** A home with an index, on a disk that has room for bytes and for no further file. */
const NO_MORE_FILES = `
cp -a "$HOME" "$HOME.copy" && mount -t tmpfs -o size=8m,nr_inodes=200,mode=700 tmpfs "$HOME" && cp -a "$HOME.copy/." "$HOME" || exit 99
cd "$HOME"; "$@" list > /dev/null || exit 98
before=$(stat -c %i.%s .cache/surety/*/index-*.db)
i=0; while touch fill$i 2> /dev/null; do i=$((i+1)); done
"$@" list > "$HOME.said" 2>&1; echo "exit $?" >> "$HOME.said"
[ "$before" = "$(stat -c %i.%s .cache/surety/*/index-*.db)" ] && echo 'the index is the same' >> "$HOME.said"; true`;

onSmallDisks('where the disk takes no further file, the index stays', async () => {
  const { run } = await homeWith({ user_one: fileWith({}, 'One is here.') });
  const said = await run(NO_MORE_FILES);
  expect(said).toContain('user_one');
  expect(said).toContain('keeps one in memory');
  expect(said).toContain('the index is the same');
});
