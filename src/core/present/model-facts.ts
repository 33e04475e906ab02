import { anchorSentence, type SeenAnchor, worstState } from '../memory/anchors.ts';
import type { Memory } from '../memory/memory.ts';
import { defuse } from '../text/defuse.ts';
import { type SafeText, sanitize, text, truncate } from '../text/safe-text.ts';

/** The server's own facts about an item. None may contain stored text: they are attributes of the frame and fields of results beside `stored`. */
export interface Facts {
  readonly id: string;
  readonly tier: 'verified' | 'inferred';
  readonly type: string;
  /** The day of the yes; of an inferred memory the day on which a ledger first saw its text, if one did. */
  readonly since?: string | undefined;
  readonly stale: boolean;
  readonly held: boolean;
  /** A person said no to it; left out where nobody did. */
  readonly declined?: true | undefined;
  /** The id of a verified memory that it cannot hold together with; left out where there is none. */
  readonly conflictsWith?: string | undefined;
  /** Its anchors that are not as they were; left out where all hold or none was looked at. */
  readonly anchors?: readonly SeenAnchor[] | undefined;
}

/** At most 32,000 characters, because clients cut results over about 50,000 and escaping makes a long body longer. */
export const LONGEST_BODY = 32_000;

/** The server's facts in a tool's result. Flags that are not set are left out, because each costs tokens in every hit. */
export function factsForModel({ id, tier, since, stale, held, declined, conflictsWith, anchors }: Facts) {
  const anchor = worstState(anchors ?? []);
  return {
    id: sanitize(id, 'line'),
    tier,
    ...(since !== undefined && { since: sanitize(since, 'line') }),
    ...(stale && { stale: true as const }),
    ...(held && { held: true as const }),
    ...(declined && { declined: true as const }),
    ...(conflictsWith !== undefined && { conflicts_with: sanitize(conflictsWith, 'line') }),
    ...(anchor !== undefined && { anchor }),
  };
}

/** What has become of an anchor. Its path is stored text, so it stands among what is stored. */
export function anchorLine(anchor: SeenAnchor): SafeText {
  return text`${defuse(anchor.path, 'line')} ${sanitize(anchorSentence(anchor), 'line')}`;
}

/** A body as far as a reply takes it, and how many characters of its end are left out. */
export function fittingBody(body: SafeText, most = LONGEST_BODY): { readonly body: SafeText; readonly cut: number } {
  const fitting = truncate(body, most);
  // The last character of what was cut is the mark that it was.
  return { body: fitting, cut: body.length > most ? body.length - fitting.length + 1 : 0 };
}

/**
 * What is stored, for a tool's result: `stored` is the only place of the result with words that are not the server's. `cut`
 * says that its body is longer than the result.
 */
export function storedForModel(
  { name, description, tags, project, body }: Memory,
  anchors: readonly SeenAnchor[] = [],
): {
  readonly stored: {
    readonly name: SafeText;
    readonly description: SafeText;
    readonly tags?: readonly SafeText[];
    readonly project?: SafeText;
    readonly anchors?: readonly SafeText[];
    readonly body: SafeText;
  };
  readonly cut?: number;
} {
  const fitting = fittingBody(sanitize(defuse(body, 'body').toString().trim(), 'body'));
  return {
    stored: {
      name: defuse(name, 'line'),
      description: defuse(description, 'line'),
      ...(tags !== null && { tags: tags.map((tag) => defuse(tag, 'line')) }),
      ...(project !== null && { project: defuse(project, 'line') }),
      ...(anchors.length > 0 && { anchors: anchors.map(anchorLine) }),
      body: fitting.body,
    },
    ...(fitting.cut > 0 && { cut: fitting.cut }),
  };
}
