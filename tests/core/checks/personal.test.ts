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
  for (const finding of findings) expect(finding).toMatchObject({ class: 'personal', line: 10 });
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
  const file = fileWith({}, 'write to mrs.stranger@elsewhere.dev at 10.0.5.42, /home/stranger/x, 4012888888881881');
  const findings = [...personalCheck(OWNER).run(subjectOf(EVIDENCE_STEM, read(Buffer.from(file)), 'found'))];
  expect(findings).toHaveLength(4);
  expect(JSON.stringify(findings)).not.toMatch(/stranger|elsewhere|10\.0|8888/);
});

test.each<[what: string, line: string, rules: readonly string[]]>([
  ['a card in groups', 'card 4012-8888-8888-1881 on file', ['card-number']],
  ['a card with 19 digits', '6205500000000000004', ['card-number']],
  ['a wrong check digit', '4012-8888-8888-1882', []],
  ['a right check digit and no issuer', '9999 9999 9999 9995', []],
  ['an account in small letters', 'gb29nwbk60161331926819', ['iban']],
  ['an account one sign too long', 'GB29NWBK601613319268190', []],
  ['an account of no country', 'ZZ29NWBK60161331926819', []],
  ['two numbers on one line', '4012888888881881 and GB29NWBK60161331926819', ['card-number', 'iban']],
  ['a number nobody is given, but called one', 'Social Security Number: 987-65-4321', ['us-ssn']],
  ['a fixture', 'The fixture uses the fake SSN 536-22-8841.', []],
  ['an hour and a day', 'at 10:15 on 2026-11-16, build 20261116-101500', []],
  ['a number abroad', 'tel +33 1 42 68 53 00', ['phone-number']],
  ['digits of full width', 'card ４０１２８８８８８８８８１８８１', ['card-number']],
])('%s', (_, line, rules) => {
  expect(rulesIn(line)).toEqual(rules);
});

test('contact data warns, a number with which money or an identity is taken holds, and nothing blocks', () => {
  const severities = (line: string) => {
    const subject = subjectOf(EVIDENCE_STEM, read(Buffer.from(fileWith({}, line))), 'proposal');
    const inspection = inspect(subject, [personalCheck(OWNER)]);
    expect(inspection.blocked).toBe(false);
    expect(verdictCode(inspection.findings)).toBe(1);
    return inspection.findings.map(({ severity }) => severity);
  };
  expect(severities('the machine at 10.0.5.42 is for builds')).toEqual(['warn']);
  expect(severities('call 415-867-5309 at night')).toEqual(['warn']);
  expect(severities('4012888888881881, GB29NWBK60161331926819, 536-22-8841')).toEqual(['hold', 'hold', 'hold']);
});
