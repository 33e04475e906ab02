import type { Tier } from '../../core/trust/tiers.ts';
import { ExportFolder } from '../../store/exchange/export-folder.ts';
import { rewrite } from '../../store/format/format.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import type { Session } from '../session.ts';

/** A memory that was not exported, and why. */
export interface LeftOut {
  readonly id: string;
  readonly why: keyof typeof WHY;
}

export const WHY = {
  blocked: 'a check blocks it',
  unreadable: 'there is no memory in its file',
  secret: 'it may hold a secret',
} as const;

/** What an export does, one memory after another; nothing is held in memory but the one at hand. */
export type Step = { readonly id: string; readonly tier: Tier } | LeftOut;

/** Writes memories as plain files. Dates, receipts and the ledger stay here: what a file says of its tier proves nothing. */
export function* exportTo({ vault }: Session, folder: string, tiers: readonly Tier[]): Generator<Step> {
  const target = ExportFolder.open(folder, vault.places);
  for (const place of ['memories', 'quarantine'] as const) {
    if (place === 'quarantine' && !tiers.includes('quarantined')) continue;
    for (const { stem } of [...vault.survey(place)]) {
      const loaded = vault.loadSpot({ place, stem });
      if (loaded === undefined || !tiers.includes(loaded.standing.tier)) continue;
      const why = whyNot(loaded);
      const bytes = why === undefined ? plainFile(loaded) : undefined;
      if (bytes === undefined) yield { id: stem, why: why ?? 'unreadable' };
      else {
        const { id, digest, standing } = loaded;
        target.write({ file: `${stem}.md`, id, tier: standing.tier, digest }, bytes);
        yield { id: stem, tier: standing.tier };
      }
    }
  }
  target.finish();
}

/** A possible secret that nobody has let pass leaves the store in no output, and a masked text would not be the same text. */
function whyNot({ memory, shown, withheld, standing, inspection }: Loaded): LeftOut['why'] | undefined {
  if (memory === undefined) return 'unreadable';
  if (shown !== memory || inspection.findings.some((f) => f.class === 'secret' && f.severity === 'block'))
    return 'secret';
  // What is blocked for its form alone is somebody's text; in quarantine it is known not to count.
  return withheld && standing.tier !== 'quarantined' ? 'blocked' : undefined;
}

/** The file as it lies, saying the tier it has and not one it claims. */
function plainFile({ bytes, standing }: Loaded): Buffer | undefined {
  try {
    return rewrite(bytes, new Map([['trust-level', standing.tier]]));
  } catch {
    // No room for it in the frontmatter.
    return undefined;
  }
}
