import type { Place } from '../../core/ledger/standing.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { type SafeText, sanitize } from '../../core/text/safe-text.ts';
import type { FilePlace } from '../vault/loaded-memory.ts';

/** One finding of a scan, for the operator. */
export interface Notice {
  readonly kind:
    | 'added'
    | 'changed'
    | 'finished'
    | 'removed'
    | 'quarantined'
    | 'held-back'
    | 'not-an-id'
    | 'refused'
    | 'sweep'
    | 'ledger'
    | 'ledger-put-back';
  readonly place: Place;
  /** The file's name without `.md`. Anybody can choose it, so it is sanitized. */
  readonly stem: SafeText;
  readonly what: string;
}

/** By what each notice is sorted. It holds the name as it is on disk, which nobody may print. */
const orders = new WeakMap<Notice, string>();

export function noticeOf(kind: Notice['kind'], { place, stem }: FilePlace, what: string): Notice {
  let clean: SafeText | undefined;
  const notice: Notice = {
    kind,
    place,
    // Sanitized only when it is read, because few of up to 100,000 notices are shown.
    get stem() {
      clean ??= sanitize(maskSecrets(stem), 'line');
      return clean;
    },
    what,
  };
  orders.set(notice, `${place} ${stem}`);
  return notice;
}

/** What happened to the file, where the notice's own words leave it open. */
const HAPPENED: Readonly<Partial<Record<Notice['kind'], string>>> = {
  added: ' is new',
  changed: ' was changed',
  quarantined: ' is in quarantine',
  'held-back': ' is held back',
};

/** A notice on one line. One about a whole folder, or about the store, names no file. */
export function noticeLine({ kind, stem, what }: Pick<Notice, 'kind' | 'stem' | 'what'>): string {
  if (stem.length === 0) return `surety: ${what}`;
  return `surety: ${stem}${HAPPENED[kind] ?? ''}: ${what.replace(/\.$/, '')}.`;
}

/** Sorts `memories/` before `quarantine/`, and in each the notice about the folder itself before its files. */
export function inOrder(a: Notice, b: Notice): number {
  return (orders.get(a) ?? '') < (orders.get(b) ?? '') ? -1 : 1;
}
