import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../src/core/checks/all.ts';
import {
  type Check,
  inspect,
  overallCode,
  unsettled,
  type VerdictCode,
  verdictCode,
} from '../../../src/core/checks/inspect.ts';
import { EVIDENCE_STEM, fileWith } from '../../../src/core/checks/sample-file.ts';
import { CLASSES, type Finding, type Severity } from '../../../src/core/finding.ts';
import { type InspectedFile, subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { sha256 } from '../../../src/core/memory/memory.ts';
import { nameSlug, projectSlug } from '../../../src/core/memory/project.ts';
import { sampleToken } from '../../../src/core/secrets/sample-tokens.ts';
import { read } from '../../../src/store/format/format.ts';

function subject(
  file: string | Uint8Array,
  origin: InspectedFile['origin'] = 'found',
  stem = EVIDENCE_STEM,
): InspectedFile {
  return subjectOf(stem, read(typeof file === 'string' ? Buffer.from(file) : file), origin);
}

const rulesIn = (check: Check, file: string) => [...check.run(subject(file))].map(({ rule }) => rule);

/** A rule name is unique across all checks. */
const NAMES = CHECKS.flatMap(({ evidence }) => evidence.map(({ rule }) => rule));

for (const check of CHECKS) {
  describe(`${check.name}: every rule has working evidence`, () => {
    test.each(check.evidence)('$rule', ({ rule, catches, allows }) => {
      expect(catches.filter((file) => !rulesIn(check, file).includes(rule))).toEqual([]);
      expect(allows.filter((file) => rulesIn(check, file).includes(rule))).toEqual([]);
      expect([catches.length > 0, allows.length > 0]).toEqual([true, true]);
      expect(NAMES.filter((name) => name === rule)).toHaveLength(1);
    });
  });
}

test('structure: each example is caught by exactly the rule it was written for', () => {
  const structure = CHECKS.find(({ name }) => name === 'structure');
  for (const { rule, catches } of structure?.evidence ?? []) {
    for (const file of catches) expect(new Set(rulesIn(structure as Check, file))).toEqual(new Set([rule]));
  }
});

test('every rule that reports has evidence', () => {
  const known = new Set(CHECKS.flatMap(({ evidence }) => evidence.map(({ rule }) => rule)));
  const files = CHECKS.flatMap(({ evidence }) => evidence.flatMap(({ catches, allows }) => [...catches, ...allows]));
  const spoken = files.flatMap((file) => inspect(subject(file), CHECKS).findings.map(({ rule }) => rule));
  // A bad file name cannot be part of a file's text; the vectors (F21) test it.
  expect([...new Set(spoken)].filter((rule) => !known.has(rule))).toEqual([]);
});

test('a clean file has no findings', () => {
  expect(inspect(subject(fileWith({})), CHECKS)).toEqual({ findings: [], crashed: [], blocked: false });
});

describe('inspect', () => {
  const hostile = new URL('../../hostile/', import.meta.url);

  test('never throws, whatever the bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc
        .tuple(fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 40 })), fc.string({ maxLength: 80 }))
        .map(([fields, body]) => {
          const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}\n`);
          return Buffer.from(`---\n${lines.join('')}---\n${body}`);
        }),
      fc
        .tuple(
          fc.constantFrom(
            'name',
            'description',
            'type',
            'tags',
            'project',
            'trust-level',
            'created-at',
            'last-verified',
          ),
          fc.constantFrom(
            '',
            '[]',
            '[a, "", null]',
            '"\\n"',
            '{a: b}',
            '~',
            '"\\u202E"',
            '!!js x',
            '&a b',
            'x'.repeat(500),
          ),
        )
        .map(([key, value]) => Buffer.from(fileWith({ [key]: value }))),
    );
    fc.assert(
      fc.property(bytes, fc.constantFrom('user_x', 'Bad Name', '..', 'user_x~2'), (file, stem) => {
        for (const origin of ['found', 'proposal'] as const) {
          const { crashed, findings } = inspect(subject(file, origin, stem), CHECKS);
          expect(crashed).toEqual([]);
          for (const finding of findings) expect(finding.line).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test.each(readdirSync(hostile))('handles %s without failing', (name) => {
    const { crashed, findings } = inspect(subject(readFileSync(new URL(name, hostile))), CHECKS);
    expect(crashed).toEqual([]);
    for (const finding of findings) {
      expect(CLASSES).toContain(finding.class);
      expect(finding.message.length).toBeGreaterThan(10);
    }
  });

  test('a finding never quotes the text', () => {
    const marker = 'zebra';
    fc.assert(
      fc.property(
        fc.constantFrom(
          'name',
          'description',
          'type',
          'tags',
          'project',
          'trust-level',
          'created-at',
          'quarantined-at',
        ),
        fc.constantFrom(`"${marker}\\n${marker}"`, `[${marker}, ${marker}]`, marker.repeat(80), `${marker} bad`),
        (key, value) => {
          for (const { message, field, rule } of inspect(subject(fileWith({ [key]: value })), CHECKS).findings) {
            expect(`${message} ${field} ${rule}`).not.toContain(marker);
          }
        },
      ),
    );
  });

  const crashing: Check = {
    name: 'broken',
    evidence: [],
    *run() {
      yield { class: 'semantics', rule: 'first', severity: 'warn', field: 'body', line: 1, message: 'Said before.' };
      throw new Error('secret text of the memory');
    },
  };

  test('a check that crashes becomes a finding, and the others still report', () => {
    const inspection = inspect(subject(fileWith({ name: 'x' })), [crashing, ...CHECKS]);
    expect(inspection.crashed).toEqual(['broken']);
    expect(inspection.findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['broken-crashed', 'length']));
    expect(inspection.findings.find(({ rule }) => rule === 'broken-crashed')).toMatchObject({
      class: 'check',
      severity: 'hold',
    });
    expect(JSON.stringify(inspection)).not.toContain('secret text');
  });

  test('a crash alone blocks nothing and is never clean', () => {
    const { blocked, findings } = inspect(subject(fileWith({})), [crashing]);
    expect(blocked).toBe(false);
    expect(verdictCode(findings)).toBe(3);
  });

  test('a check that throws a value that is not an error is caught too', () => {
    const odd: Check = {
      ...crashing,
      run: () => {
        throw null;
      },
    };
    expect(inspect(subject(fileWith({})), [odd]).crashed).toEqual(['broken']);
  });
});

describe('codes', () => {
  const finding = (severity: Severity, class_: Finding['class'] = 'semantics'): Finding => ({
    class: class_,
    rule: 'r',
    severity,
    field: 'f',
    line: 1,
    message: 'm',
  });

  test.each<[string, Finding[], VerdictCode]>([
    ['nothing found', [], 0],
    ['only information', [finding('info')], 0],
    ['a warning', [finding('warn'), finding('info')], 3],
    ['something held', [finding('hold', 'injection')], 3],
    ['a format failure', [finding('block', 'format'), finding('warn')], 2],
    ['a secret', [finding('block', 'secret')], 2],
    ['a structural failure', [finding('block', 'structure')], 1],
    ['structure and format together', [finding('block', 'format'), finding('block', 'structure')], 1],
    ['a structural warning', [finding('warn', 'structure')], 3],
    ['personal data, warned about', [finding('warn', 'personal'), finding('hold', 'injection')], 1],
    ['personal data, held', [finding('hold', 'personal')], 1],
    ['personal data and a secret', [finding('warn', 'personal'), finding('block', 'secret')], 2],
  ])('%s', (_, findings, code) => {
    expect(verdictCode(findings)).toBe(code);
    expect(verdictCode(findings.toReversed())).toBe(code);
  });

  test('several files: any failure is 1, else any warning is 3', () => {
    const codes = fc.array(fc.constantFrom<VerdictCode>(0, 1, 2, 3));
    fc.assert(
      fc.property(codes, (each) => {
        const failed = each.includes(1) || each.includes(2);
        expect(overallCode(each)).toBe(failed ? 1 : each.includes(3) ? 3 : 0);
      }),
    );
  });

  test('settling a rule settles only that rule, and only hold findings', () => {
    const findings = [
      { ...finding('hold'), rule: 'a' },
      { ...finding('hold'), rule: 'b' },
      { ...finding('hold'), rule: 'b' },
      { ...finding('warn'), rule: 'c' },
    ];
    expect(unsettled(findings, new Set())).toEqual(['a', 'b']);
    expect(unsettled(findings, new Set(['a', 'c']))).toEqual(['b']);
    expect(unsettled(findings, new Set(['a', 'b']))).toEqual([]);
  });

  test('no two checks share a name', () => {
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  });
});

test('a hash of ours in a project’s name is no secret; a token before it is, and one that ends like it', () => {
  const named = (project: string) =>
    inspect(subject(fileWith({ project })), CHECKS).findings.map(({ field, rule }) => `${field} ${rule}`);
  for (const name of [
    'Übung29',
    'café-website0',
    'Größe7',
    '日本語42',
    'naïve3app',
    'Überblick2024',
    'größe4/shop',
    'größe4/tür4',
  ])
    expect(named(projectSlug(name)), name).toEqual([]);
  const hash = sha256('').slice(0, 12);
  expect(named(`password=hG7-${hash}`)).toEqual(['project labelled-password']);
  for (const owner of ['', 'acme/', `acme-${hash}/`])
    expect(named(`${owner}hT7-kk2_Zq9vLx41-${hash}`), owner).toEqual(['project random-token']);
  expect(named(`amzn.mws.fe2ecdad-fb6c-8a49-0a26-${hash}`)).toEqual(['project amazon-seller-token']);
  expect(named(nameSlug(`Ü ${sampleToken(32)}`))).toEqual(['project random-token']);
});
