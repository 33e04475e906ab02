import { holdsCertainSecret } from '../../core/checks/inspect.ts';
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
  unreadable: 'its file cannot be read as a memory',
  secret: 'it may hold a secret',
} as const;

/** One exported or left-out memory; only one memory is loaded at a time. */
type ExportedFile = { readonly id: string; readonly tier: Tier } | LeftOut;

/** Writes memories as plain files. Dates, receipts and the ledger are not exported; a file's tier proves nothing. */
export function* exportTo({ vault }: Session, folder: string, tiers: readonly Tier[]): Generator<ExportedFile> {
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

/**
 * Texts with a possible secret are not exported, because secrets may not leave the store and a masked text is not the
 * original.
 */
function whyNot({ memory, shown, withheld, standing, inspection }: Loaded): LeftOut['why'] | undefined {
  if (memory === undefined) return 'unreadable';
  if (shown !== memory || holdsCertainSecret(inspection)) return 'secret';
  // A quarantined text that is blocked only for its form is exported, because its tier says that it does not count.
  return withheld && standing.tier !== 'quarantined' ? 'blocked' : undefined;
}

/** The file's bytes with its actual tier instead of the one it claims. */
function plainFile({ bytes, standing }: Loaded): Buffer | undefined {
  try {
    return rewrite(bytes, new Map([['trust-level', standing.tier]]));
  } catch {
    // The frontmatter has no room for the tier.
    return undefined;
  }
}
