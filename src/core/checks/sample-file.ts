/** The stem under which all evidence is inspected. */
export const EVIDENCE_STEM = 'user_evidence';

/** A file without findings, with some frontmatter lines changed or, by null, left out. */
export function fileWith(
  changes: Readonly<Record<string, string | null>>,
  body = 'The build runs on two cores and takes ten minutes.',
): string {
  const fields: Record<string, string | null> = {
    name: 'An example',
    description: 'One line about it',
    type: 'user',
    'source-machine': 'here',
    'created-at': '2026-05-01T10:00:00Z',
    'trust-level': 'inferred',
    ...changes,
  };
  const lines = Object.entries(fields).filter(([, value]) => value !== null);
  return `---\n${lines.map(([key, value]) => `${key}: ${value}\n`).join('')}---\n${body}\n`;
}
