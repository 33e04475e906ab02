import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOne } from './checker/file.ts';
import type { Tier } from './checker/standing.ts';
import type { Lane } from './lane.ts';

/** What anything with file tools does to a store while servers work on it, until `stop` says so. */
export async function meddle(lane: Lane, stop: () => boolean): Promise<void> {
  while (!stop()) {
    await sleep(50 + lane.chance() * 600);
    if (stop()) return;
    try {
      lane.pick([edit, edit, typeVerified, moveBack])(lane);
    } catch (error) {
      // A full or read-only disk stops an editor too, and a server may have moved the file first.
      if (!['ENOSPC', 'EROFS', 'ENOENT', 'EXDEV'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Another text in the same file: saved in one piece, or written over in place as some editors do. */
function edit(lane: Lane): void {
  const id = lane.pick([...lane.journal.certainly('inferred'), ...lane.journal.certainly('verified')].slice(-60));
  const path = pathOf(lane, 'memories', id);
  if (path === undefined) return;
  const before = readFileSync(path);
  const changed = Buffer.from(
    before.toString('utf8').replace(/(\(mark[^)]*\))[^\n]*/, `$1, edited ${lane.nextNumber()} times.`),
  );
  const { text, torn } = readOne('memories', id, changed);
  if (text === undefined || torn !== undefined || changed.equals(before)) return;
  // On a full disk an editor that writes in place destroys the file itself, and git would commit what is half written.
  if (lane.chance() < 0.5 || lane.during === 'full disk' || lane.during === 'git checkout')
    save(lane.root, path, changed);
  else writeFileSync(path, changed);
  lane.journal.edited(id, text);
}

/** The shortest attack: the file says of itself that it is verified. */
function typeVerified(lane: Lane): void {
  const id = lane.pick(lane.journal.certainly('inferred').slice(-60));
  const path = pathOf(lane, 'memories', id);
  if (path === undefined || id === undefined) return;
  mark(lane.root, path, 'inferred');
  lane.journal.note(id, 'marked verified by hand');
}

/** A quarantined file carried back, and marked as verified. */
function moveBack(lane: Lane): void {
  const id = lane.pick(lane.journal.certainly('quarantined').slice(-20));
  const path = pathOf(lane, 'quarantine', id);
  const home = join(lane.root, 'memories', `${id}.md`);
  if (path === undefined || existsSync(home)) return;
  renameSync(path, home);
  mark(lane.root, home, 'quarantined');
  lane.journal.note(id, 'carried out of quarantine by hand');
}

/** Only what can be read whole: git, at work in the folder, makes a file first and fills it then. */
export function mark(root: string, path: string, tier: Tier): void {
  const text = readFileSync(path, 'utf8');
  const marked = text.replace(`trust-level: ${tier}`, 'trust-level: verified');
  if (marked !== text && readOne('memories', '', Buffer.from(text)).torn === undefined) save(root, path, marked);
}

function pathOf(lane: Lane, place: 'memories' | 'quarantine', id: string | undefined): string | undefined {
  const path = join(lane.root, place, `${id}.md`);
  return id !== undefined && existsSync(path) ? path : undefined;
}

export function save(root: string, path: string, content: string | Buffer): void {
  const beside = join(root, '.tmp-editor');
  writeFileSync(beside, content);
  renameSync(beside, path);
}
