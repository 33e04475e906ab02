import { isLost, type SeenAnchor } from '../core/memory/anchors.ts';
import type { Memory } from '../core/memory/memory.ts';
import { mentionsIn } from '../core/memory/mentions.ts';
import { projectIn } from '../core/memory/project.ts';
import { sanitize } from '../core/text/safe-text.ts';
import type { Checkout } from '../store/checkout/checkout.ts';
import { isLostMention } from '../store/checkout/look-at-mention.ts';
import { SettledAnchors } from '../store/checkout/settled-anchors.ts';
import type { Loaded, Surveyed } from '../store/vault/vault.ts';
import type { Session } from './session.ts';

/** How long all anchors together may take, in milliseconds. What is not looked at by then says so. */
export const ANCHOR_MS = { search: 2, start: 30, person: 1_000 } as const;

/** What has become of a memory's anchors; none where it has none, or this session does not work in its project. */
export type AnchorLook = (memory: Memory) => readonly SeenAnchor[];

/** Looks at anchors in a session's checkout. All looks together take at most this long; what is done between them does not count. */
export function anchorLook(checkout: Checkout | undefined, ms: number): AnchorLook {
  let left = ms;
  return ({ anchors, project }) => {
    if (checkout === undefined || anchors === null || projectIn({ project }) !== checkout.project) return [];
    const begin = performance.now();
    const seen = anchors.map(([path, text]) =>
      checkout.look(
        {
          path: path === undefined ? '' : sanitize(path, 'line').toString(),
          text: text === undefined ? undefined : sanitize(text, 'line').toString(),
        },
        begin + left,
      ),
    );
    left -= performance.now() - begin;
    return seen;
  };
}

/** The anchors that are not as they were, and those that were not looked at. */
export function notHolding(look: AnchorLook, memory: Memory): SeenAnchor[] {
  return look(memory).filter(({ state }) => state !== 'holds');
}

/** Things in backticks that the repository no longer has. For audit, review and page only: nobody declared them. */
export function lostMentions(checkout: Checkout | undefined, { body, project }: Memory, ms: number): string[] {
  if (checkout === undefined || projectIn({ project }) !== checkout.project) return [];
  const until = performance.now() + ms;
  const mentions = mentionsIn(sanitize(body, 'body').toString());
  return mentions.filter((mention) => isLostMention(checkout, mention, until)).map(({ name }) => name);
}

/** Looks whether verified memories have lost an anchor that no person has settled. */
export class QuestionableLook {
  readonly #session: Session;
  readonly #look: AnchorLook;
  /** One for all memories, because each would read and verify the whole list by itself. */
  readonly #settled: SettledAnchors;
  /** How many milliseconds are left for reading the memories' files. */
  #left: number;

  constructor(session: Session, ms: number) {
    this.#session = session;
    this.#look = anchorLook(session.checkout, ms);
    this.#settled = new SettledAnchors(session.vault);
    this.#left = ms;
  }

  isQuestionable(known: Surveyed): boolean {
    const { checkout, vault } = this.#session;
    if (!known.anchored || checkout === undefined || known.standing.tier !== 'verified') return false;
    if (this.#left < 0) return false;
    const begin = performance.now();
    const loaded = vault.loadSurveyed(known);
    this.#left -= performance.now() - begin;
    return loaded !== undefined && unsettledAnchors(this.#session, loaded, this.#look, this.#settled).length > 0;
  }
}

/** A memory's lost anchors that no person has seen lost in this way, with this text. */
export function unsettledAnchors(
  session: Session,
  loaded: Loaded,
  look: AnchorLook,
  settled = new SettledAnchors(session.vault),
): SeenAnchor[] {
  const { memory, standing } = loaded;
  if (memory === undefined || standing.tier !== 'verified') return [];
  const lost = look(memory).filter(isLost);
  return lost.filter((anchor) => !settled.has(loaded, anchor));
}

/** A person vouched for a memory as it is, so its lost anchors are no question any more. */
export async function settleAnchors(session: Session, loaded: Loaded): Promise<void> {
  const lost = unsettledAnchors(session, loaded, anchorLook(session.checkout, ANCHOR_MS.person));
  if (lost.length === 0) return;
  const { vault } = session;
  await vault.exclusively(() => new SettledAnchors(vault).add(loaded, lost));
}
