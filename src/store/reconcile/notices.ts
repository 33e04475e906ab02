import type { Place } from '../../core/ledger/standing.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { type SafeText, sanitize } from '../../core/text/safe-text.ts';
import type { FilePlace } from '../vault/loaded-memory.ts';

/** One thing noticed in the folders, for the operator. */
export interface Notice {
  readonly kind:
    | 'added'
    | 'changed'
    | 'removed'
    | 'quarantined'
    | 'held-back'
    | 'not-an-id'
    | 'refused'
    | 'sweep'
    | 'ledger'
    | 'ledger-put-back';
  readonly place: Place;
  /** The file's name without `.md`: somebody else's words, cleaned. */
  readonly stem: SafeText;
  readonly what: string;
}

export function noticeOf(kind: Notice['kind'], { place, stem }: FilePlace, what: string): Notice {
  let clean: SafeText | undefined;
  return {
    kind,
    place,
    // Looked through when somebody reads it: of a hundred thousand notices a few are shown.
    get stem() {
      clean ??= sanitize(maskSecrets(stem), 'line');
      return clean;
    },
    what,
  };
}

/** What is told first comes first: what is about a folder, then file by file, memories before quarantine. */
export function orderOf({ place, stem }: Notice): string {
  return `${place} ${stem}`;
}
