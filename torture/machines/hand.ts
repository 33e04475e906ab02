import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pick } from '../../testkit/seeded.ts';
import { readOne } from '../checker/file.ts';
import { filesOf, markIn } from '../checker/machines.ts';
import { mark, save } from '../hand.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';

// What anybody with file tools does to a store behind its programs' back.

type ByHand = (fleet: Fleet, machine: Machine, chance: () => number) => string | undefined;

/** Another text in the same file. */
const edit: ByHand = (_fleet, { root }, chance) => {
  const stem = memoryAt(root, chance);
  if (stem === undefined) return undefined;
  const path = join(root, 'memories', `${stem}.md`);
  const times = Math.floor(chance() * 1_000_000);
  const before = readFileSync(path, 'utf8');
  const changed = before.replace(/(\(mark[^)]*\))[^\n]*/, `$1, edited as ${times}.`);
  if (changed === before || readOne('memories', stem, Buffer.from(changed)).torn !== undefined) return undefined;
  save(root, path, changed);
  return `${stem} is edited as ${times}`;
};

/** The shortest attack: the file says of itself that it is verified. */
const typeVerified: ByHand = (_fleet, { root }, chance) => {
  const stem = memoryAt(root, chance);
  if (stem === undefined) return undefined;
  mark(root, join(root, 'memories', `${stem}.md`), 'inferred');
  return `${stem} is marked verified`;
};

/** A quarantined file carried back, and marked as verified. */
const moveBack: ByHand = (_fleet, { root }, chance) => {
  const file = pick(
    filesOf(root).filter(({ place }) => place === 'quarantine'),
    chance,
  );
  if (file === undefined) return undefined;
  const home = join(root, 'memories', `${file.id}.md`);
  if (existsSync(home)) return undefined;
  renameSync(join(root, 'quarantine', `${file.stem}.md`), home);
  mark(root, home, 'quarantined');
  return `${file.stem} is carried out of quarantine`;
};

const remove: ByHand = (fleet, { root }, chance) => {
  const stem = memoryAt(root, chance);
  if (stem === undefined) return undefined;
  const path = join(root, 'memories', `${stem}.md`);
  fleet.removed.add(markIn(readFileSync(path, 'utf8')) ?? stem);
  rmSync(path);
  return `${stem} is deleted`;
};

/** A folder that is not mounted, or somebody who tidies up. */
export const removeMany: ByHand = (fleet, { root }) => {
  const files = filesOf(root).filter(({ place }) => place === 'memories');
  for (const { id, stem, text } of files.slice(1)) {
    fleet.removed.add(markIn(text?.body ?? '') ?? id);
    rmSync(join(root, 'memories', `${stem}.md`));
  }
  return `${Math.max(0, files.length - 1)} memories are deleted`;
};

export const ON_MEMORIES: readonly ByHand[] = [edit, edit, edit, typeVerified, moveBack, remove];

/** What a write that was cut short, an editor or a thief does to the last line of any ledger that lies here. */
export const onLedger: ByHand = (_fleet, { root, own }, chance) => {
  const folder = join(root, 'ledger');
  const name = pick(
    readdirSync(folder)
      .filter((each) => each.endsWith('.jsonl'))
      .sort((a, b) => Number(b.startsWith(own)) - Number(a.startsWith(own))),
    chance,
  );
  const path = join(folder, name);
  const lines = readFileSync(path, 'utf8').split('\n');
  const last = lines.at(-2);
  if (last === undefined) return undefined;
  const whose = `the last line of ${name.startsWith(own) ? 'its own ledger' : `ledger ${name.slice(0, 8)}`}`;
  const rest = lines
    .slice(0, -2)
    .map((line) => `${line}\n`)
    .join('');
  const dice = chance();
  if (dice < 0.4) appendFileSync(path, last.slice(0, Math.floor(last.length * chance())));
  else if (dice < 0.7) writeFileSync(path, rest);
  else if (dice < 0.85) writeFileSync(path, rest + last.slice(0, Math.floor(last.length * chance())));
  else writeFileSync(path, `${rest}${last.replace(/"at":"20(\d)/, '"at":"21$1')}\n`);
  return `${whose} is ${dice < 0.4 ? 'followed by half a line' : dice < 0.7 ? 'cut off' : dice < 0.85 ? 'cut in two' : 'changed'}`;
};

/** The name of a file among the memories that can be read. */
function memoryAt(root: string, chance: () => number): string | undefined {
  const files = filesOf(root).filter(({ place, torn }) => place === 'memories' && torn === undefined);
  return pick(files, chance)?.stem;
}
