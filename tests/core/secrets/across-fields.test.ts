import { expect, test } from 'vitest';
import { EVIDENCE_STEM, fileWith } from '../../../src/core/checks/sample-file.ts';
import { secrets } from '../../../src/core/checks/secrets.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { masked, masksAcross } from '../../../src/core/secrets/detect.ts';
import { MASK } from '../../../src/core/secrets/mask.ts';
import { sampleToken } from '../../../src/core/secrets/sample-tokens.ts';
import { read } from '../../../src/store/format/format.ts';

function maskAcross(texts: Parameters<typeof masksAcross>[0]): string[] {
  const masks = masksAcross(texts);
  return texts.map(({ text }, i) => masked(text, masks[i] ?? []));
}

const VALUE = `k${sampleToken(7)}7`;
const found = (file: string) => [...secrets.run(subjectOf(EVIDENCE_STEM, read(Buffer.from(file)), 'found'))];

test('a value is reported at its own place, not at its label', () => {
  expect(found(fileWith({ name: 'Staging password', description: VALUE }))).toMatchObject([
    { rule: 'labelled-elsewhere', severity: 'hold', field: 'description', line: 3 },
  ]);
  expect(found(fileWith({ name: 'Staging password' }, `One line before it.\n\n- \`${VALUE}\`\n`))).toMatchObject([
    { rule: 'labelled-elsewhere', field: 'body', line: 11 },
  ]);
  expect(found(fileWith({ tags: `[api key, ${VALUE}]` }))).toMatchObject([{ field: 'tags' }]);
  expect(found(fileWith({ 'db-password': VALUE }))).toMatchObject([{ field: 'frontmatter' }]);
});

test('what a rule finds in one field is reported once', () => {
  const token = `ghp_${sampleToken(36)}`;
  expect(found(fileWith({ name: 'Deploy token', description: token })).map(({ rule }) => rule)).toEqual([
    'github-token',
  ]);
});

test('the value is masked in every text, the label is not', () => {
  const texts = [
    { field: 'name', text: 'Staging password' },
    { field: 'description', text: VALUE },
    { field: 'body', text: `The box by the door.\n${VALUE}\nAsk Dana before you use it.` },
    { field: 'tags', text: VALUE },
    { field: 'tags', text: 'staging' },
  ];
  expect(maskAcross(texts)).toEqual([
    'Staging password',
    MASK,
    `The box by the door.\n${MASK}\nAsk Dana before you use it.`,
    MASK,
    'staging',
  ]);
});

test('a memory about passwords in general is not masked', () => {
  const texts = [
    { field: 'name', text: 'Where the staging password is kept' },
    { field: 'description', text: 'deploy-2024' },
    { field: 'body', text: 'In the vault under this entry:\ndeploy-2024\nIt is rotated every spring.' },
  ];
  expect(maskAcross(texts)).toEqual(texts.map(({ text }) => text));
});
