import type { Finding } from '../finding.ts';
import type { Document } from '../memory/document.ts';
import type { Check } from './inspect.ts';
import { fileWith } from './sample-file.ts';

const WITH_MARKERS = 'Merge by rebase.\n**Why:** history stays readable.\nHow to apply: use the merge queue.';

/** Things worth a second look. They only warn. */
export const semantics: Check = {
  name: 'semantics',
  evidence: [
    {
      rule: 'recommended-key',
      catches: [fileWith({ 'source-machine': null }), fileWith({ 'trust-level': 'verified' })],
      allows: [fileWith({}), fileWith({ 'trust-level': 'verified', 'last-verified': '2026-05-01' })],
    },
    {
      rule: 'why-marker',
      catches: [fileWith({ type: 'feedback' })],
      allows: [fileWith({ type: 'feedback' }, WITH_MARKERS)],
    },
    {
      rule: 'how-marker',
      catches: [fileWith({ type: 'project' })],
      allows: [fileWith({ type: 'project' }, WITH_MARKERS)],
    },
    {
      rule: 'absolute-command',
      catches: [fileWith({}, 'We always do the thing in exactly this way.')],
      allows: [fileWith({}, 'We always do the thing in this way; the reason is speed.')],
    },
  ],
  *run(subject) {
    const { document } = subject;
    if (document === undefined) return;
    yield* recommendedKeys(document);
    yield* markers(document);
    yield* absoluteCommands(document);
  },
};

function* recommendedKeys(document: Document): Iterable<Finding> {
  // An inferred memory was never verified, so its date is not missing.
  const verifiedOnce = document.fields.get('trust-level') !== 'inferred' && document.fields.has('trust-level');
  const keys = ['source-machine', 'created-at', 'trust-level', ...(verifiedOnce ? ['last-verified'] : [])];
  for (const key of keys) {
    const value = document.fields.get(key);
    if (value === undefined || value === null || value === '')
      yield warn('recommended-key', key, 1, `Missing recommended key: ${key}.`);
  }
}

function* markers(document: Document): Iterable<Finding> {
  const type = document.fields.get('type');
  if (type !== 'feedback' && type !== 'project') return;
  for (const [rule, marker] of [
    ['why-marker', 'Why'],
    ['how-marker', 'How to apply'],
  ] as const) {
    const bold = new RegExp(`\\*\\*${marker}:?\\*\\*:?`, 'i');
    const plain = new RegExp(`^${marker}:`, 'im');
    if (!bold.test(document.body) && !plain.test(document.body)) {
      yield warn(rule, 'body', document.bodyLine, `A ${type} memory reads better with a “${marker}:” line.`);
    }
  }
}

const ABSOLUTE = /\b(?:always|never|from now on|must always|must never)\b/i;
const JUSTIFIED = /\b(?:because|reason|why|due to|incident)\b/i;

function* absoluteCommands(document: Document): Iterable<Finding> {
  if (ABSOLUTE.test(document.body) && !JUSTIFIED.test(document.body)) {
    yield warn(
      'absolute-command',
      'body',
      document.bodyLine,
      'An absolute command without a reason; say why it holds.',
    );
  }
}

function warn(rule: string, field: string, line: number, message: string): Finding {
  return { class: 'semantics', rule, severity: 'warn', field, line, message };
}
