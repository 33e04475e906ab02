import { bugDetails } from '../core/bug-details.ts';
import { Refusal } from '../core/refusal.ts';
import { text } from '../core/text/safe-text.ts';
import { type Notice, noticeLine, reconcile } from '../store/reconcile/reconcile.ts';
import { idsTouched, isChange, StoreWatch } from '../store/reconcile/watch.ts';
import { compareFound } from './contradictions.ts';
import { recordPutBack, type Session } from './session.ts';

/** Changes are collected for 120 ms, because a git pull changes many files at once. */
const GATHER_MS = 120;
/** A rescan is followed by at least 4 times its duration of rest, because rescans of a large store are slow. */
const REST = 4;
/** A full rescan comes after a minute, for changes that watching misses; after 4 s if watching is impossible. */
const RESCAN_MS = { watched: 60_000, blind: 4_000 } as const;
/** It is followed by at least 50 times its duration of rest, because mostly nobody waits for it. */
const RESCAN_REST = 50;
const AFTER_FAILURE_MS = 5_000;

/**
 * Rescans the store after each change, including this process's own writes, and then calls `scanned` with the ids whose
 * files changed, or with undefined if every memory may have. What the ledgers say of other ids is for the caller to
 * find. Never keeps the process alive. A failed rescan is printed on stderr and retried. `first` is given where a scan of every
 * file begins right after this call. It resolves when that scan is done, with true if this process scanned them all; then only what
 * changes is scanned again.
 */
export function watchStore(
  { vault, audit }: Session,
  scanned: (ids: readonly string[] | undefined) => Promise<void>,
  first?: Promise<boolean>,
): { stop(): void } {
  const complain = complainOnce((line) => vault.complain(line));
  let timer: NodeJS.Timeout | undefined;
  let [scanning, again, everything] = [first !== undefined, false, false];
  let [ended, took] = [performance.now(), 0];
  let whole = { ended, took };

  const scan = async () => {
    timer = undefined;
    scanning = true;
    again = false;
    const named = watch.taken();
    const touched = everything ? undefined : named;
    const began = performance.now();
    const done = await tryToScan({ vault, audit }, touched, scanned, complain);
    ended = performance.now();
    took = ended - began;
    if (touched === undefined) whole = { ended, took };
    everything = !done;
    scanning = false;
    if (again || !done) soon(done ? 0 : AFTER_FAILURE_MS);
  };
  const soon = (atLeast = 0) => {
    again = true;
    if (scanning || timer !== undefined) return;
    const rested = performance.now() - ended;
    timer = setTimeout(() => void scan(), Math.max(GATHER_MS, atLeast, took * REST - rested)).unref();
  };
  const rescan = () => {
    const pause = watch.isBlind ? RESCAN_MS.blind : RESCAN_MS.watched;
    if (scanning || performance.now() - whole.ended <= Math.max(pause, whole.took * RESCAN_REST)) return;
    everything = true;
    soon();
  };
  const watch = new StoreWatch(vault.places, () => soon(), rescan);
  let isStopped = false;
  const begin = (isWhole: boolean) => {
    if (isStopped) return;
    whole = { ended: performance.now(), took: 0 };
    everything = !isWhole;
    scanning = false;
    if (again || everything) soon();
  };
  if (first !== undefined) {
    // The watch notices what changes from here on.
    watch.taken();
    void first.then(begin);
  }
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      watch.stop();
    },
  };
}

type ComplainAbout = (about: Pick<Notice, 'kind' | 'stem' | 'what'>, detail?: string) => void;

async function tryToScan(
  { vault, audit }: Pick<Session, 'vault' | 'audit'>,
  touched: readonly string[] | undefined,
  scanned: (ids: readonly string[] | undefined) => Promise<void>,
  complain: ComplainAbout,
): Promise<boolean> {
  try {
    if (touched === undefined || touched.some((path) => isChange(vault, path))) {
      const { notices, fresh } = await reconcile(vault);
      recordPutBack(audit, notices);
      for (const notice of notices) if (notice.kind !== 'added' && notice.kind !== 'removed') complain(notice);
      await compareFound({ vault }, fresh);
    }
    await scanned(touched && idsTouched(vault, touched));
    return true;
  } catch (error) {
    // A bug's stack is printed once, even if the bug is met on several paths.
    const why = error instanceof Error ? error.message : '';
    const stack = error instanceof Refusal ? undefined : bugDetails(error);
    complain({ kind: 'refused', stem: text`the store`, what: `it could not be looked at again; ${why}` }, stack);
    return false;
  }
}

/** Prints each line once, because every rescan notices an unsettled file again. */
function complainOnce(complain: (line: string) => void): ComplainAbout {
  const said = new Set<string>();
  return (notice, detail) => {
    const line = noticeLine(notice);
    if (said.has(line)) return;
    if (said.size >= 1_000) said.clear();
    said.add(line);
    complain(detail === undefined ? line : `${line}\n${detail}`);
  };
}
