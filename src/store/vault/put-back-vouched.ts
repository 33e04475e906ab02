import type { Memory } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { interpret } from '../format/interpret.ts';
import type { Inside } from './inside-of-vault.ts';
import type { Loaded } from './loaded-memory.ts';

interface VouchedText {
  readonly bytes: Buffer;
  readonly memory: Memory | undefined;
}

/** The copy this machine keeps of a vouched text; undefined where it has none, or the copy is another text. */
export function vouchedText({ vouched, checks }: Inside, stem: string, digest: string): VouchedText | undefined {
  const bytes = vouched.find(digest);
  const interpreted = bytes && interpret(stem, bytes, checks());
  if (bytes === undefined || interpreted?.digest !== digest) return undefined;
  return { bytes, memory: interpreted.subject.memory };
}

/** Puts the vouched text back in place of a changed one. The caller holds the lock. */
export function putBackVouched(inside: Inside, seen: Loaded): Loaded {
  const { disk, files } = inside;
  const now = files.unchanged(seen);
  if (now.standing.reason !== 'changed')
    throw new Refusal('not-allowed', `${now.id} has not changed since it was vouched for.`);
  const vouched = vouchedText(inside, now.stem, now.standing.receipt.digest ?? '');
  if (vouched === undefined) {
    throw new Refusal(
      'no-such-memory',
      'This machine has no copy of the vouched text; take it from a backup or the git history.',
    );
  }
  disk.replace(files.writable(now), vouched.bytes);
  return files.indexed(now);
}
