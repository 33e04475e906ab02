import { expect, test } from 'vitest';
import { inspect, verdictCode } from '../../../src/core/checks/inspect.ts';
import { notLookedFor, type OwnerIdentity, personalCheck } from '../../../src/core/checks/personal.ts';
import { EVIDENCE_STEM, fileWith } from '../../../src/core/checks/sample-file.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { read } from '../../../src/store/format/format.ts';

const OWNER: OwnerIdentity = { emails: ['owner@example.com'], githubHandle: 'owner', homeUser: 'owner' };

function rulesIn(line: string, owner = OWNER): string[] {
  const file = fileWith({}, `A line of text before the one that matters.\n${line}`);
  const findings = [...personalCheck(owner).run(subjectOf(EVIDENCE_STEM, read(Buffer.from(file)), 'found'))];
  for (const finding of findings) expect(finding).toMatchObject({ class: 'personal', severity: 'warn', line: 10 });
  return findings.map(({ rule }) => rule);
}

test.each<[vector: string, line: string, rules: readonly string[]]>([
  ['S01', 'git@github.com:foo/bar.git', []],
  ['S09 inside a longer number', '110.0.5.2', []],
  ['S09 a version', 'v10.0.5.2', []],
  ['S09 bare', 'at 10.0.5.2', ['private-ip']],
  ['S10', '172.15.0.1 and 172.32.0.1', []],
  ['S11', '172.16.0.1', ['private-ip']],
  ['S12', '127.0.0.1, 169.254.1.1, fd00::1, 100.64.0.1', []],
  ['S13', 'look in /Users/other', ['foreign-home']],
  ['S14', '/Users/owner/a and /Users/stranger/b', ['foreign-home']],
  ['S15', '/home/john.doe/x', ['foreign-home']],
  ['S16', 'C:\\Users\\stranger\\x', ['foreign-home']],
  ['S18 with a number', '12345+owner@users.noreply.github.com', []],
  ['S18 without', 'owner@users.noreply.github.com', []],
  ['S19', '12345+evil@users.noreply.github.com', ['foreign-email']],
  ['S20', 'OWNER@example.com', []],
  ['S21', 'notowner@example.com', ['foreign-email']],
  ['S21 elsewhere', 'owner@example.com.evil.dev', ['foreign-email']],
  ['a documentation domain', 'someone@example.org and x@mail.test', []],
  ['documentation addresses', '192.0.2.1, 198.51.100.7, 203.0.113.9', []],
  ['the owner in capitals', 'C:\\Users\\Owner\\x', []],
  ['a name that only begins like the owner', '/home/ownership/x', ['foreign-home']],
  ['people of manuals', '/home/user/x, /Users/you/x, /home/<name>/x, /home/$USER/x', []],
])('%s', (_, line, rules) => {
  expect(rulesIn(line)).toEqual(rules);
});

test('S23 without owner e-mails the rule is off, which is reported, and no memory is judged by it', () => {
  expect(rulesIn('mrs.stranger@elsewhere.dev and /home/stranger/x', { emails: [] })).toEqual([]);
  expect(rulesIn('10.0.5.42', { emails: [] })).toEqual(['private-ip']);
  expect(notLookedFor({ emails: [] })).toEqual([
    expect.stringContaining('owner.emails'),
    expect.stringContaining('owner.homeUser'),
  ]);
  expect(notLookedFor(OWNER)).toEqual([]);
});

test('S24 for another owner, the former owner’s address is foreign', () => {
  expect(rulesIn('owner@corp.dev', { emails: ['alice@corp.dev'] })).toEqual(['foreign-email']);
  expect(rulesIn('alice@corp.dev', { emails: ['alice@corp.dev'] })).toEqual([]);
});

test('a Windows name with a space belongs to the owner as a whole', () => {
  const owner = { emails: [], homeUser: 'Jo Doe' };
  expect(rulesIn('C:\\Users\\Jo Doe\\x', owner)).toEqual([]);
  expect(rulesIn('C:\\Users\\Jo\\x', owner)).toEqual(['foreign-home']);
});

test('S25 a finding quotes nothing', () => {
  const file = fileWith({}, 'write to mrs.stranger@elsewhere.dev at 10.0.5.42, /home/stranger/x');
  const findings = [...personalCheck(OWNER).run(subjectOf(EVIDENCE_STEM, read(Buffer.from(file)), 'found'))];
  expect(findings).toHaveLength(3);
  expect(JSON.stringify(findings)).not.toMatch(/stranger|elsewhere|10\.0/);
});

test('personal findings warn: they never block or hold', () => {
  const subject = subjectOf(
    EVIDENCE_STEM,
    read(Buffer.from(fileWith({}, 'the machine at 10.0.5.42 is for builds'))),
    'proposal',
  );
  const inspection = inspect(subject, [personalCheck(OWNER)]);
  expect(inspection.blocked).toBe(false);
  expect(verdictCode(inspection.findings)).toBe(3);
});
