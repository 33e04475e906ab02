import type { Finding } from '../../core/finding.ts';
import type { Loaded, Vault } from '../../store/vault/vault.ts';

/** Transitions by which a person takes a text as their own words. */
const OWN_WORDS = ['add', 'adopt', 'rewrite'];

/** What the checks found in a stored text. How a person words what they say is no finding. */
export function findingsOf(vault: Vault, { id, digest, inspection }: Loaded): readonly Finding[] {
  const isOwn = vault.evidence
    .of(id)
    .some((each) => each.actor === 'operator' && each.digest === digest && OWN_WORDS.includes(each.action));
  return isOwn ? withoutStyle(inspection.findings) : inspection.findings;
}

export function withoutStyle(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.class !== 'semantics');
}
