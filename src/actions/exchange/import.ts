import { unsettled } from '../../core/checks/inspect.ts';
import { type ProposedTier, planBackfill } from '../../core/memory/backfill-plan.ts';
import { projectSlug } from '../../core/memory/project.ts';
import { Refusal, type RefusalCode } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import type { UserConsent } from '../../core/trust/consent.ts';
import { Disk } from '../../store/disk/disk.ts';
import {
  type ImportedFile,
  type ImportPlan,
  type ImportResult,
  importFile,
  planImport,
} from '../../store/exchange/import-file.ts';
import { openSource } from '../../store/exchange/import-source.ts';
import { read } from '../../store/format/format.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { noteContradictions } from '../contradictions.ts';
import type { Session } from '../session.ts';
import { type ImportPiece, type Recognized, recognize } from './import-pieces.ts';

/** What importing a piece would do; a possible secret in its label is hidden. */
export type ImportLook =
  | {
      readonly kind: 'new';
      readonly label: string;
      readonly arrival: ImportedFile;
      readonly plan: Extract<ImportPlan, { kind: 'new' }>;
      readonly proposed: ProposedTier;
      /** Suspicious, so the memory would be stored but not auto-loaded. */
      readonly held: boolean;
    }
  | { readonly kind: 'returns'; readonly label: string; readonly arrival: ImportedFile; readonly id: string }
  | { readonly kind: 'here'; readonly label: string; readonly id: string }
  | { readonly kind: 'refused'; readonly label: string; readonly code: RefusalCode; readonly sentence: string }
  | { readonly kind: 'passed'; readonly label: string; readonly why: string };

/** Recognizes what a person wants to import; its pieces are read later. */
export function openImport({ vault }: Session, path: string, project: string | undefined): Recognized {
  const disk = new Disk();
  return recognize(openSource(path, vault.places, disk), disk, project && projectSlug(project));
}

/** Looks at a piece and changes nothing. */
export function lookAt({ vault }: Session, piece: ImportPiece): ImportLook {
  const label = maskSecrets(piece.label);
  if ('why' in piece) return { kind: 'passed', label, why: piece.why };
  if ('refusal' in piece) return refusedAs(label, piece.refusal);
  const { arrival } = piece;
  try {
    const plan = planImport(vault, arrival, 'verified');
    if (plan.kind === 'here') return { ...plan, label };
    if (plan.kind === 'returns') return { kind: 'returns', label, arrival, id: plan.newFile.id };
    const held = unsettled(plan.newFile.inspection.findings, new Set()).length > 0;
    return { kind: 'new', label, arrival, plan, proposed: held ? 'inferred' : proposedFor(vault, arrival), held };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusedAs(label, error);
  }
}

/**
 * Imports a piece: verified with a person's consent to this text, otherwise inferred. A refusal is recorded without the
 * text.
 */
export async function take(session: Session, arrival: ImportedFile, consent?: UserConsent): Promise<ImportResult> {
  const { vault, audit } = session;
  const attempt = { channel: 'terminal', action: 'import' } as const;
  try {
    const taken = await importFile(vault, arrival, consent ?? { actor: 'import', client: null });
    if (taken.kind !== 'here') {
      const { id, digest, standing } = taken.loaded;
      audit.record({ ...attempt, id, digest, outcome: 'accepted', reason: standing.tier });
      await noteContradictions(session, taken.loaded);
    }
    return taken;
  } catch (error) {
    audit.recordFailure(attempt, error);
    throw error;
  }
}

export function recordSkipped({ audit }: Session): void {
  audit.record({ channel: 'terminal', action: 'import', outcome: 'declined', reason: 'person-said-no' });
}

function proposedFor(vault: Vault, { bytes, modified }: ImportedFile): ProposedTier {
  const reading = read(bytes);
  const document = reading.kind === 'document' ? reading.document : reading;
  const plan = planBackfill(document, { modified, machine: vault.self.machine, now: vault.now(), decided: false });
  return plan.kind === 'plan' ? plan.proposed : 'inferred';
}

function refusedAs(label: string, { code, message }: Refusal): ImportLook {
  return { kind: 'refused', label, code, sentence: message };
}
