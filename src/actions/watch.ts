import { Refusal } from '../core/refusal.ts';
import { text } from '../core/text/safe-text.ts';
import { type Notice, reconcile } from '../store/reconcile/reconcile.ts';
import { isNews, StoreWatch } from '../store/reconcile/watch.ts';
import { recordPutBack, type Session } from './session.ts';

/** How long changes are gathered before they are looked at: a git pull is one change, not a thousand. */
const GATHER_MS = 120;
/** A look takes time with the size of the store; between two of them at least this many times as long is left for work. */
const REST = 4;
/** Now and then everything is looked at unasked, for what no watching shows; much sooner where watching is impossible. */
const UNASKED_MS = { watched: 60_000, blind: 4_000 } as const;
const UNASKED_REST = 50;
const AFTER_FAILURE_MS = 5_000;

/**
 * Looks at the store again whenever something stirs in it, this process's own writes included, and says when it has.
 * It never keeps the process alive, and a look that fails is told on stderr and tried again.
 */
export function watchStore({ vault, audit }: Session, looked: () => Promise<void>): { stop(): void } {
  const complain = complainOnce((line) => vault.complain(line));
  let timer: NodeJS.Timeout | undefined;
  let [looking, again, everything] = [false, false, false];
  let [ended, took] = [performance.now(), 0];
  let whole = { ended, took };

  const look = async () => {
    timer = undefined;
    looking = true;
    again = false;
    const named = watch.taken();
    const touched = everything ? undefined : named;
    const began = performance.now();
    const done = await tryToLook({ vault, audit }, touched, looked, complain);
    ended = performance.now();
    took = ended - began;
    if (touched === undefined) whole = { ended, took };
    everything = !done;
    looking = false;
    if (again || !done) soon(done ? 0 : AFTER_FAILURE_MS);
  };
  const soon = (atLeast = 0) => {
    again = true;
    if (looking || timer !== undefined) return;
    const rested = performance.now() - ended;
    timer = setTimeout(() => void look(), Math.max(GATHER_MS, atLeast, took * REST - rested)).unref();
  };
  const unasked = () => {
    const patience = watch.isBlind ? UNASKED_MS.blind : UNASKED_MS.watched;
    if (looking || performance.now() - whole.ended <= Math.max(patience, whole.took * UNASKED_REST)) return;
    everything = true;
    soon();
  };
  const watch = new StoreWatch(vault.places, () => soon(), unasked);
  return {
    stop: () => {
      clearTimeout(timer);
      watch.stop();
    },
  };
}

type Complain = (about: Pick<Notice, 'kind' | 'stem' | 'what'>, detail?: string) => void;

async function tryToLook(
  { vault, audit }: Pick<Session, 'vault' | 'audit'>,
  touched: readonly string[] | undefined,
  looked: () => Promise<void>,
  complain: Complain,
): Promise<boolean> {
  try {
    if (touched === undefined || touched.some((path) => isNews(vault, path))) {
      const { notices } = await reconcile(vault);
      recordPutBack(audit, notices);
      for (const notice of notices) if (notice.kind !== 'added' && notice.kind !== 'removed') complain(notice);
    }
    await looked();
    return true;
  } catch (error) {
    // A bug's stack is worth a line; the same bug met along another path is not worth a second one.
    const why = error instanceof Error ? error.message : '';
    const stack = error instanceof Error && !(error instanceof Refusal) ? error.stack : undefined;
    complain({ kind: 'refused', stem: text`the store`, what: `it could not be looked at again; ${why}` }, stack);
    return false;
  }
}

/** A file nobody settles is noticed by every look; its line is needed once. */
function complainOnce(complain: (line: string) => void): Complain {
  const said = new Set<string>();
  return ({ kind, stem, what }, detail) => {
    const line = `surety: ${kind}: ${stem}: ${what}`;
    if (said.has(line)) return;
    if (said.size >= 1_000) said.clear();
    said.add(line);
    complain(detail === undefined ? line : `${line}\n${detail}`);
  };
}
