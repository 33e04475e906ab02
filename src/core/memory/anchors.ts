/** What has become of a place that a memory rests on. `unseen` is one that was not looked at. */
export const ANCHOR_STATES = ['holds', 'changed', 'moved', 'gone', 'unseen'] as const;
export type AnchorState = (typeof ANCHOR_STATES)[number];

/** An anchor as it was found in a checkout. */
export interface SeenAnchor {
  readonly path: string;
  readonly state: AnchorState;
  /** For a moved one the file that has its text now, if its name can be shown. */
  readonly now?: string;
}

/** Whether a person or an agent should look before they rely on the memory. */
export function isLost({ state }: Pick<SeenAnchor, 'state'>): boolean {
  return state === 'changed' || state === 'moved' || state === 'gone';
}

/**
 * A path as git writes it: with slashes, and without steps that lead nowhere. An absolute one stays as it is, because only a
 * checkout can say where it lies.
 */
export function gitPath(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  if (ABSOLUTE.test(slashed)) return slashed;
  const steps = slashed.split('/').filter((step) => step !== '' && step !== '.');
  return steps.length === 0 ? '.' : steps.join('/');
}

const ABSOLUTE = /^(?:\/|[a-z]:\/)/i;

/** Whether a path of git's form can be one in a repository: relative, without steps upwards, without a folder of git's own. */
export function isInRepository(path: string): boolean {
  const isStep = (step: string) => !['', '.', '..', '.git'].includes(step.toLowerCase());
  return !path.includes('\0') && !ABSOLUTE.test(path) && path.split('/').every(isStep);
}

/** Names that say nothing but where: a repository could put sentences into the names of its files. */
const PLAIN_PATH = /^[\w@+.-]{1,60}(?:\/[\w@+.-]{1,60}){0,12}$/;

export function isPlainPath(path: string): boolean {
  return PLAIN_PATH.test(path) && path.length <= 200;
}

const WORDS: Readonly<Record<AnchorState, string>> = {
  holds: 'holds',
  changed: 'is there, without its text',
  moved: 'no longer has its text, which is in',
  gone: 'is gone',
  unseen: 'was not looked at',
};

/** What is said of an anchor, after its path. */
export function anchorSentence({ state, now }: Omit<SeenAnchor, 'path'>): string {
  const where = state === 'moved' ? ` ${now ?? 'another file'} now` : '';
  return isLost({ state }) ? `${WORDS[state]}${where}; check before you rely on it` : WORDS[state];
}

/** The state that matters most among several; undefined where there is none. */
export function worstState(anchors: readonly SeenAnchor[]): AnchorState | undefined {
  return (['gone', 'changed', 'moved', 'unseen'] as const).find((each) => anchors.some(({ state }) => state === each));
}
