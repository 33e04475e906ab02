import { maskSecrets } from '../../core/secrets/detect.ts';
import { dropPrivate } from '../../core/text/private-passages.ts';
import type { AuditEntry } from './audit-log.ts';

/**
 * What a call said besides the memory's own words, for its line in the audit log: private passages are dropped and possible
 * secrets masked. Name, description, body, hints and anchors are never given here, because an erased text must be gone
 * from every file; its digest or its keyed hash stands for them.
 */
export function auditInput(
  said: Readonly<Record<string, string | readonly string[] | undefined>>,
): AuditEntry['input'] {
  const fields = Object.entries(said).flatMap(([field, value]) => {
    const words = maskSecrets(dropPrivate([value ?? []].flat().join(', ')).text);
    return words === '' ? [] : [[field, words] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}
