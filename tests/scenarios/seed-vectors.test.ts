import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../src/core/checks/all.ts';
import { type Check, inspect, overallCode, verdictCode } from '../../src/core/checks/inspect.ts';
import { fileWith } from '../../src/core/checks/sample-file.ts';
import type { Severity } from '../../src/core/finding.ts';
import { standingKey } from '../../src/core/ledger/standing.ts';
import { subjectOf } from '../../src/core/memory/inspected-file.ts';
import { escapeMarkup, sanitize, truncate } from '../../src/core/text/safe-text.ts';
import { witnessed } from '../../src/core/trust/consent.ts';
import { read } from '../../src/store/format/format.ts';
import { inside } from '../../src/store/places/base-folders.ts';
import { AGENT, newMemory, TestStore, yes } from '../../testkit/store.ts';

// The test vectors of the systems this one follows, by their numbers, with our rulings where they differ.

function findings(file: string, stem = 'user_evidence', origin: 'found' | 'proposal' = 'found') {
  return inspect(subjectOf(stem, read(Buffer.from(file)), origin), CHECKS).findings;
}
const verdict = (file: string, stem?: string, origin?: 'proposal') => verdictCode(findings(file, stem, origin));
const rules = (file: string, stem?: string) => findings(file, stem).map(({ rule }) => rule);

const LONG = 'The build runs on two cores and takes ten minutes.';
/** So many characters of ordinary words: a long run of one letter is suspicious in itself. */
const words = (length: number) =>
  'plain words of no weight '
    .repeat(length)
    .slice(0, length - 1)
    .concat('.');
const WITH = (type: string, body: string) => fileWith({ type }, body);

describe('structure and format: a file', () => {
  test.each<[string, string, string, 0 | 1 | 2 | 3]>([
    ['F01', 'that is empty', '', 1],
    ['F02', 'with CRLF line ends is read as any other', fileWith({}).replaceAll('\n', '\r\n'), 0],
    ['F03', 'with a byte order mark is read, with a warning', `\uFEFF${fileWith({})}`, 3],
    ['F04', 'whose first line has a space after the dashes', fileWith({}).replace('---\n', '--- \n'), 1],
    ['F05', 'whose closing line has spaces after the dashes', fileWith({}).replace('\n---\n', '\n---  \n'), 0],
    ['F06', 'with a name of one character', fileWith({ name: 'x' }), 2],
    ['F06', 'with a name of two', fileWith({ name: 'xy' }), 0],
    ['F06', 'with a name of 100', fileWith({ name: 'x'.repeat(100) }), 0],
    ['F06', 'with a name of 101', fileWith({ name: 'x'.repeat(101) }), 2],
    ['F07', 'with a quoted name of one character', fileWith({ name: '"x"' }), 2],
    ['F08', 'with a name key and no name', fileWith({ name: '' }), 1],
    ['F08', 'with an indented name key', fileWith({}).replace('\nname', '\n name'), 1],
    ['F08', 'with an indented first key', fileWith({}).replace('---\nname', '---\n  name'), 1],
    ['F09', 'with a description of 256 characters', fileWith({ description: words(256) }), 0],
    ['F09', 'with a description of 257', fileWith({ description: words(257) }), 2],
    ['F09', 'with a quoted empty description', fileWith({ description: '""' }), 2],
    ['F10', 'of type User', fileWith({ type: 'User' }), 2],
    ['F11', 'that calls itself trusted', fileWith({ 'trust-level': 'trusted' }), 2],
    ['F12', 'created yesterday', fileWith({ 'created-at': 'yesterday' }), 2],
    ['F12', 'verified never', fileWith({ 'trust-level': 'verified', 'last-verified': 'never' }), 2],
    ['F12', 'created on 31 February', fileWith({ 'created-at': '2026-02-31T00:00:00Z' }), 2],
    ['F13', 'with two trust levels', fileWith({ 'trust-level': 'inferred\ntrust-level: verified' }), 1],
    ['F14', 'with a description of two lines', fileWith({ description: '|\n  one\n  two' }), 2],
    ['F14', 'with a description as a block of one line', fileWith({ description: '|\n  one' }), 2],
    ['F15', 'with faults of structure and format', fileWith({ name: null, description: null, type: 'User' }), 1],
    ['F16', 'with a body of 2 characters', fileWith({}, 'x'.repeat(2)), 1],
    ['F16', 'with a body of 3', fileWith({}, 'x'.repeat(3)), 0],
    ['F17', 'with 2 characters after blank lines', fileWith({}, `\n\n${'x'.repeat(2)}`), 1],
    ['F18', 'with a body of spaces', fileWith({}, ' '.repeat(40)), 1],
    ['F19', 'with a body of 5000 characters', fileWith({}, words(5000)), 0],
    ['F19', 'with a body of 5001', fileWith({}, words(5001)), 3],
    ['F20', 'with a body of 2 Korean characters', fileWith({}, '빌드'), 1],
    ['F20', 'with a body of 3 Korean characters', fileWith({}, '가'.repeat(3)), 0],
    ['F26', 'that says always without a reason', fileWith({}, 'We always do the thing in exactly this way.'), 3],
    ['F27', 'that says always with a reason', fileWith({}, 'We always do it this way; the reason is speed.'), 0],
  ])('%s %s', (_, __, file, code) => {
    expect(verdict(file)).toBe(code);
  });

  test('F15 structure wins over format', () => {
    const found = findings(fileWith({ name: null, description: 'x'.repeat(300) }));
    expect(found.map(({ class: class_ }) => class_)).toEqual(expect.arrayContaining(['structure', 'format']));
    expect(verdictCode(found)).toBe(1);
  });

  test('F19 a proposal of 5001 characters is refused, a found file of the same length is only warned about', () => {
    expect(verdict(fileWith({}, words(5001)), 'user_evidence', 'proposal')).toBe(2);
  });

  test('F21 a bad file name is reported and quarantines nothing', async () => {
    expect(verdict(fileWith({}), 'Bad-Name')).toBe(3);
    expect([1, 2]).toContain(verdict(fileWith({}), 'Bad-Name', 'proposal'));
    const store = await TestStore.open();
    store.write('memories', 'Bad-Name', fileWith({}));
    const { notices } = await store.reconcile();
    expect(notices.map(({ kind, stem }) => [kind, String(stem)])).toEqual([['not-an-id', 'Bad-Name']]);
    expect(store.files('memories')).toEqual(['Bad-Name.md']);
    expect(store.files('quarantine')).toEqual([]);
    expect(store.vault.load('Bad-Name')).toBeUndefined();
  });

  test('F22 the prefix of the name must be the type', () => {
    expect(verdict(fileWith({ type: 'user' }), 'feedback_x')).toBe(2);
    expect(
      verdict(
        fileWith({ type: 'feedback' }, 'Lead.\nWhy: x.\nHow to apply: y, always with care, because.'),
        'feedback_x',
      ),
    ).toBe(0);
  });

  test('F23 feedback without markers is warned about twice', () => {
    expect(rules(WITH('feedback', LONG), 'feedback_x')).toEqual(['why-marker', 'how-marker']);
    expect(verdict(WITH('feedback', LONG), 'feedback_x')).toBe(3);
  });

  test('F24 markers at the start of a line count in any case', () => {
    const body = 'Merge by rebase.\nWHY: history stays readable.\nhow to apply: use the queue.';
    expect(verdict(WITH('feedback', body), 'feedback_x')).toBe(0);
  });

  test('F25 markers in the middle of a line do not', () => {
    const body = 'Lead. Why: history stays readable. How to apply: use the queue.';
    expect(rules(WITH('feedback', body), 'feedback_x')).toEqual(['why-marker', 'how-marker']);
  });

  test('F28 MEMORY.md is never a memory', async () => {
    const store = await TestStore.open();
    store.write('memories', 'MEMORY', 'An index that somebody else keeps.');
    const { notices, files } = await store.reconcile();
    expect([notices, files]).toEqual([[], 0]);
    expect(store.files('memories')).toEqual(['MEMORY.md']);
  });

  test('F29 several files at once: one format failure makes the whole run 1', () => {
    expect(overallCode([fileWith({}), fileWith({ type: 'User' })].map((file) => verdict(file)))).toBe(1);
    expect(
      overallCode([fileWith({}), WITH('user', 'We always do the thing in exactly this way.')].map((f) => verdict(f))),
    ).toBe(3);
    expect(overallCode([verdict(fileWith({}))])).toBe(0);
  });
});

/** A check that has something against one word, and calls it what a test needs. */
function against(word: string, severity: Severity): Check {
  return {
    name: 'word',
    evidence: [],
    *run({ document }) {
      if (!document?.body.includes(word)) return;
      const class_ = severity === 'block' ? 'secret' : 'injection';
      yield { class: class_, rule: 'word', severity, field: 'body', line: 1, message: 'A word that must not be here.' };
    },
  };
}

const CRASHING: Check = {
  name: 'crashing',
  evidence: [],
  run: () => {
    throw new Error('this check has a bug');
  },
};

const WORD = 'opensesame';
const fields = (store: TestStore, id: string) => {
  const reading = read(Buffer.from(store.text('quarantine', id)));
  if (reading.kind !== 'document') throw new Error('unreadable');
  return reading.document.fields;
};

describe('quarantine', () => {
  test('Q01 demoting keeps every byte of the body, and a reason is only a reason', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    store.pass(10);
    const reason = `it's "wrong" & $(touch /tmp/x) \`id\` %s`;
    const body = store.text('memories', id).split('---\n').slice(2).join('---\n');
    await store.decide('demote', id, reason);
    expect(Object.fromEntries(fields(store, id))).toMatchObject({
      'trust-level': 'quarantined',
      'quarantined-at': '2026-03-18T12:00:00Z',
      'quarantined-by': 'here',
      'last-verified': '2026-03-18',
      'quarantine-reason': reason,
    });
    expect(store.text('quarantine', id).split('---\n').slice(2).join('---\n')).toBe(body);
    expect(store.files('memories')).toEqual([]);
  });

  test('Q02 demoting what is in quarantine changes nothing', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    const before = [store.text('quarantine', id), store.ledgerLines()];
    await expect(store.decide('demote', id, 'again')).rejects.toMatchObject({ code: 'not-allowed' });
    expect([store.text('quarantine', id), store.ledgerLines()]).toEqual(before);
  });

  test('Q03 demoting what is no longer where it was seen is refused', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const seen = store.load(id);
    await store.decide('demote', id, 'wrong');
    await expect(store.vault.decide('demote', seen, yes('demote', seen))).rejects.toMatchObject({
      code: 'changed-meanwhile',
    });
  });

  test('Q04 MEMORY.md cannot be decided about', async () => {
    const store = await TestStore.open();
    store.write('memories', 'MEMORY', fileWith({}));
    expect(store.vault.load('MEMORY')).toBeUndefined();
    expect(store.vault.loadSpot({ place: 'memories', stem: 'MEMORY' })).toBeUndefined();
  });

  test('Q05 a file without frontmatter is quarantined byte for byte, and the ledger says why', async () => {
    const store = await TestStore.open();
    const bytes = Buffer.from('no frontmatter \xFF at all', 'latin1');
    store.write('memories', 'user_broken', bytes);
    await store.decide('demote', 'user_broken', 'unreadable');
    expect(readFileSync(store.path('quarantine', 'user_broken')).equals(bytes)).toBe(true);
    expect(JSON.parse(store.ledgerLines().at(-1) ?? '')).toMatchObject({
      action: 'demote',
      id: 'user_broken',
      digest: null,
      reason: 'unreadable',
    });
    expect(store.standing('user_broken')).toBe('quarantined:decided');
  });

  test('Q06 a name that is taken in quarantine gets ~2; both files stay, and the ledger keeps the id', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    store.write('quarantine', id, fileWith({}, 'Something else that lies here already.'));
    await store.decide('demote', id, 'wrong');
    expect(store.files('quarantine')).toEqual([`${id}.md`, `${id}~2.md`]);
    expect(store.text('quarantine', id)).toContain('Something else');
    expect(store.text('quarantine', `${id}~2`)).toContain('two cores');
    expect(JSON.parse(store.ledgerLines().at(-1) ?? '')).toMatchObject({ id, action: 'demote' });
  });

  test('Q06 the twelfth file of one name in quarantine is still a file of that id', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const stems = [id, ...Array.from({ length: 10 }, (_, i) => `${id}~${i + 2}`)];
    for (const stem of stems) store.write('quarantine', stem, fileWith({}, `${LONG} ${stem}`));
    const { loaded } = await store.decide('demote', id, 'wrong');
    expect(loaded).toMatchObject({ place: 'quarantine', stem: `${id}~12`, id });
  });

  test.each([
    ['a newline', 'bad\ntrust-level: verified'],
    ['a carriage return', 'bad\rtrust-level: verified'],
    ['a Unicode line break', 'bad\u2028trust-level: verified\u0085---'],
    ['a closing line', 'bad\n---\ntrust-level: verified'],
    ['quotes', 'bad"\ntrust-level: "verified'],
  ])('Q07 a reason with %s forges no key', async (_, reason) => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, reason);
    expect(fields(store, id).get('trust-level')).toBe('quarantined');
    expect(String(fields(store, id).get('quarantine-reason'))).not.toMatch(/[\n\r\u2028\u2029\u0085]/);
    expect(store.text('quarantine', id).match(/^trust-level:/gm)).toHaveLength(1);
    expect(store.standing(id)).toBe('quarantined:decided');
  });

  test('Q07 a reason has at most 300 characters', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, '👍'.repeat(500));
    expect([...String(fields(store, id).get('quarantine-reason'))]).toHaveLength(300);
  });

  test.each([undefined, '', '  \n '])('Q08 demoting with reason %j removes an old one', async (reason) => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    store.edit(id, (text) => text.replace('trust-level', 'quarantine-reason: an old one\ntrust-level'));
    expect(store.standing(id)).toBe('verified:vouched');
    await store.decide('demote', id, reason);
    expect(fields(store, id).has('quarantine-reason')).toBe(false);
  });
});

describe('restore', () => {
  async function quarantined(body = newMemory('the build').body): Promise<{ store: TestStore; id: string }> {
    const store = await TestStore.open();
    const id = await store.verified('the build', { body });
    await store.decide('demote', id, 'wrong');
    return { store, id };
  }

  async function stays(store: TestStore, id: string, attempt: () => Promise<unknown>, code: string): Promise<void> {
    const before = [store.text('quarantine', id), store.ledgerLines()];
    await expect(attempt()).rejects.toMatchObject({ code });
    expect([store.text('quarantine', id), store.ledgerLines()]).toEqual(before);
    const spot = store.vault.loadSpot({ place: 'quarantine', stem: id });
    expect(spot?.standing.tier).toBe('quarantined');
  }

  test('R01 a clean file is verified again, dated today, without quarantine keys, its body untouched', async () => {
    const { store, id } = await quarantined();
    store.pass(3);
    await store.decide('restore', id);
    const text = store.text('memories', id);
    expect(text).toContain('trust-level: verified\n');
    expect(text).toContain('last-verified: 2026-03-11\n');
    expect(text).not.toContain('quarantine');
    expect(text.endsWith(`---\n\n${newMemory('the build').body}\n`)).toBe(true);
    expect(store.standing(id)).toBe('verified:vouched');
    expect(store.files('quarantine')).toEqual([]);
  });

  test('R02 a file that is not in quarantine cannot be restored', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await expect(store.decide('restore', id)).rejects.toMatchObject({ code: 'not-allowed' });
  });

  test('R03 a file a check blocks stays, byte for byte', async () => {
    const { store, id } = await quarantined(`The word is ${WORD}, and it is a long sentence.`);
    await store.reopen({ checks: [...CHECKS, against(WORD, 'block')] });
    await stays(store, id, () => store.decide('restore', id), 'checks-failed');
  });

  test('R04 a suspicious finding must have been on the screen', async () => {
    const { store, id } = await quarantined(`The word is ${WORD}, and it is a long sentence.`);
    await store.reopen({ checks: [...CHECKS, against(WORD, 'hold')] });
    const seen = store.load(id);
    const shown = { verb: 'restore', id, digest: seen.digest, standing: standingKey(seen.standing) } as const;
    const blind = witnessed('page', { ...shown, settles: [] });
    await stays(store, id, () => store.vault.decide('restore', seen, blind), 'checks-failed');
    await store.vault.decide('restore', seen, witnessed('page', { ...shown, settles: ['word'] }));
    expect(store.standing(id)).toBe('verified:vouched');
    expect(store.load(id).held).toEqual([]);
    expect(JSON.parse(store.ledgerLines().at(-1) ?? '').settled).toEqual(['word']);
  });

  test('R05 restoring over a file that has the id is refused', async () => {
    const { store, id } = await quarantined();
    store.write('memories', id, fileWith({}));
    const seen = store.vault.loadSpot({ place: 'quarantine', stem: id });
    if (seen === undefined) throw new Error('not there');
    await stays(store, id, () => store.vault.decide('restore', seen, yes('restore', seen)), 'id-taken');
    expect(store.text('memories', id)).toBe(fileWith({}));
  });

  test.each([
    ['a link', (path: string) => symlinkSync('/nowhere', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    [
      'a second name of another file',
      (path: string) => {
        writeFileSync(`${path}.other`, fileWith({}));
        linkSync(`${path}.other`, path);
      },
    ],
  ])('R05 restoring over %s is refused before anything is recorded', async (_, put) => {
    const { store, id } = await quarantined();
    put(store.path('memories', id));
    const seen = store.vault.loadSpot({ place: 'quarantine', stem: id });
    if (seen === undefined) throw new Error('not there');
    await stays(store, id, () => store.vault.decide('restore', seen, yes('restore', seen)), 'id-taken');
  });

  // The notice that owner e-mails are unset belongs to the status and the checks; here: it stops nothing.
  test('R06 restoring works while no owner e-mails are set', async () => {
    const { store, id } = await quarantined();
    expect(store.vault.settings.owner.emails).toEqual([]);
    await store.decide('restore', id);
    expect(store.tier(id)).toBe('verified');
  });

  test('R07 a check that crashes refuses', async () => {
    const { store, id } = await quarantined();
    await store.reopen({ checks: [...CHECKS, CRASHING] });
    const before = [store.text('quarantine', id), store.ledgerLines()];
    await expect(store.decide('restore', id)).rejects.toThrow();
    expect([store.text('quarantine', id), store.ledgerLines()]).toEqual(before);
    expect(store.tier(id)).toBe('quarantined');
  });

  test('R08 without a person nothing is restored', async () => {
    const { store, id } = await quarantined();
    const seen = store.load(id);
    for (const none of [undefined, null, true, 'yes', {}]) {
      await stays(store, id, () => store.vault.decide('restore', seen, none as never), 'needs-person');
    }
  });
});

describe('paths and titles', () => {
  test('X13 nothing outside the store is read or written', async () => {
    const store = await TestStore.open();
    for (const id of ['../../etc/passwd', '/etc/passwd', `user_x/../../x`, 'user_..', 'user_x\u0000']) {
      expect(store.vault.load(id)).toBeUndefined();
      expect(store.vault.loadSpot({ place: 'memories', stem: id })).toBeUndefined();
    }
    const outside = join(store.home, 'outside.md');
    writeFileSync(outside, fileWith({}, 'A secret of somebody else’s that is long enough.'));
    symlinkSync(outside, store.path('memories', 'user_link'));
    linkSync(outside, store.path('memories', 'user_hard'));
    const { notices } = await store.reconcile();
    expect(notices.map(({ kind, stem }) => `${kind} ${stem}`).sort()).toEqual([
      'refused user_hard',
      'refused user_link',
    ]);
    expect([store.vault.load('user_link'), store.vault.load('user_hard')]).toEqual([undefined, undefined]);
    expect(readFileSync(outside, 'utf8')).toContain('A secret');
    expect(inside('/a/store', '/a/store-2/x')).toBe(false);
    expect(inside('/a/store', '/a/store/../x')).toBe(false);
    expect(inside('/a/store', '/a/store/x')).toBe(true);
  });

  test('X14 cutting comes before escaping, so no entity is broken', () => {
    const cut = truncate(sanitize('&'.repeat(200), 'line'), 120);
    expect(cut.length).toBe(120);
    expect(escapeMarkup(cut).toString()).toBe(`${'&amp;'.repeat(119)}…`);
  });

  test('X15 a title loses newlines, NUL, zero-width and bidi characters before it is written', async () => {
    const store = await TestStore.open();
    const name = 'the\nbuild\u0000 is\u200B fa\u202Est\u2066\u2069';
    const { loaded } = await store.vault.create('propose', newMemory('the build', { name }), AGENT);
    expect(loaded.id).toBe('user_the_build_is_fast');
    expect(store.text('memories', loaded.id)).toMatch(/^name: the build is fast$/m);
  });

  test('X16 stripping repeats until nothing changes', () => {
    for (const title of ['##tags:tags: z', 't\u200Bags\u200B:', '\u200D\u200D\u200Dx\u200D', 'a\u0301\u200B\u0301b']) {
      const once = sanitize(title, 'line').toString();
      expect(sanitize(once, 'line').toString()).toBe(once);
    }
  });

  test.each(['हिन्दी में नाम', 'عنوان بالعربية', '한국어 제목', 'ชื่อภาษาไทย', 'ok ✔️ 👨‍👩‍👧 ❤️'])(
    'X17 %s is stored as it is',
    async (name) => {
      const store = await TestStore.open();
      const id = await store.propose('x', { name });
      const reading = read(Buffer.from(store.text('memories', id)));
      expect(reading.kind === 'document' && reading.document.fields.get('name')).toBe(name);
    },
  );
});

describe('proposals', () => {
  test('X20 more than 12 tags are refused, not cut', async () => {
    const store = await TestStore.open();
    const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag ${i}`);
    await expect(store.propose('one', { tags: tags(13) })).rejects.toMatchObject({ code: 'checks-failed' });
    await expect(store.propose('one', { tags: tags(15) })).rejects.toMatchObject({ code: 'checks-failed' });
    expect(store.files('memories')).toEqual([]);
    const id = await store.propose('one', { tags: tags(12) });
    expect(store.load(id).memory?.tags).toHaveLength(12);
  });

  test('X20 no tags are none, the same in another case is one, a comma stays in its tag', async () => {
    const store = await TestStore.open();
    const none = await store.propose('none', { tags: [] });
    expect(store.load(none).memory?.tags).toBeNull();
    const some = await store.propose('some', { tags: ['Build', 'build', 'a, b', 'BUILD'] });
    expect(store.load(some).memory?.tags).toHaveLength(2);
    expect(store.text('memories', some)).toContain('"a, b"');
  });

  test.each([0, 1, 2, 400])('X21 a quarantined text is refused after %i days, whatever it is called', async (days) => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    store.pass(days);
    const { body } = newMemory('the build');
    for (const other of [
      body,
      body.toUpperCase(),
      ` ${body.replaceAll(' ', '  ')}\n`,
      body.replace('two', 'tw\u200Bo'),
    ]) {
      await expect(store.propose('new title', { body: other })).rejects.toMatchObject({ code: 'was-quarantined' });
    }
    expect(store.files('memories')).toEqual([]);
  });

  test('X21 a restored text is the memory it is again', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    await store.decide('restore', id);
    expect(await store.propose('new title', { body: newMemory('the build').body })).toBe(id);
  });

  test('X22 the same content gives the existing id, the same name with other text gets _2', async () => {
    const store = await TestStore.open();
    const first = await store.vault.create('propose', newMemory('the build'), AGENT);
    const again = await store.vault.create('propose', newMemory('the build'), AGENT);
    expect([first.kind, again.kind, again.loaded.id]).toEqual(['created', 'existing', 'user_the_build']);
    expect(store.entries()).toHaveLength(1);
    const other = await store.propose('the build', { body: 'Another text under the same name, long enough.' });
    expect(other).toBe('user_the_build_2');
    expect(store.files('memories')).toEqual(['user_the_build.md', 'user_the_build_2.md']);
  });

  test('X22 an id is never given again, not even when its file is gone', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    const { rmSync } = await import('node:fs');
    rmSync(store.path('memories', id));
    await store.reopen();
    expect(await store.propose('the build', { body: 'Another text under the same name, long enough.' })).toBe(
      `${id}_2`,
    );
  });

  test('X23 a decision on a file that changed since it was read is a conflict', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    store.pass(7);
    const seen = store.load(id);
    store.edit(id, (text) => text.replace('two cores', 'nine cores'));
    await expect(store.vault.decide('promote', seen, yes('promote', seen))).rejects.toMatchObject({
      code: 'changed-meanwhile',
    });
    // Also when only what is outside the digest changed: somebody else is at work on this file.
    const again = store.load(id);
    store.edit(id, (text) => text.replace('name:', '# a remark\nname:'));
    await expect(store.vault.decide('demote', again, yes('demote', again))).rejects.toMatchObject({
      code: 'changed-meanwhile',
    });
  });

  // X24 (an abandoned lock, a lock that is held, permission denied): tests/store/disk/lock.test.ts.
});

describe('ten failures of the systems before', () => {
  test('1: an agent that writes trust-level: verified itself gains nothing', async () => {
    const store = await TestStore.open();
    store.write('memories', 'user_evidence', fileWith({ 'trust-level': 'verified', 'last-verified': '2026-02-01' }));
    expect(store.standing('user_evidence')).toBe('inferred:unproven');
    await store.reconcile();
    store.pass(100);
    expect(store.standing('user_evidence')).toBe('inferred:unproven');
  });

  test('2: an unset owner quarantines nothing', async () => {
    const store = await TestStore.open();
    for (let i = 0; i < 8; i++) {
      const body = `Write to somebody${i}@example.com or look into /home/somebody/notes.`;
      store.write('memories', `user_${i}`, fileWith({}, body));
    }
    const { notices } = await store.reconcile();
    expect(store.files('quarantine')).toEqual([]);
    expect(notices.map(({ kind }) => kind)).toEqual(Array(8).fill('added'));
  });

  test('3: a file without frontmatter is put away and hides none of the others', async () => {
    const store = await TestStore.open();
    store.write('memories', 'user_a_broken', 'no frontmatter');
    store.write('memories', 'user_b', fileWith({}, `${LONG} b`));
    store.write('memories', 'user_c_broken', Buffer.from([0xff, 0xfe, 0]));
    store.write('memories', 'user_d', fileWith({}, `${LONG} d`));
    await store.reconcile();
    expect(store.files('memories')).toEqual(['user_b.md', 'user_d.md']);
    expect(store.files('quarantine')).toEqual(['user_a_broken.md', 'user_c_broken.md']);
    expect([store.tier('user_b'), store.tier('user_a_broken')]).toEqual(['inferred', 'quarantined']);
    expect(store.text('quarantine', 'user_a_broken')).toBe('no frontmatter');
  });

  test('4: a newline in a reason reaches neither a tier nor a second ledger line', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const lines = store.ledgerLines().length;
    await store.decide('demote', id, 'x\n{"v":1,"to":"verified"}\ntrust-level: verified');
    expect(store.ledgerLines().length).toBe(lines + 1);
    await store.reopen();
    expect(store.trouble()).toBeUndefined();
    expect(store.standing(id)).toBe('quarantined:decided');
  });

  test('5: an incomplete first file stops no report', async () => {
    const store = await TestStore.open();
    store.write('memories', 'user_a', fileWith({ 'created-at': null, 'source-machine': null, 'trust-level': null }));
    store.write('memories', 'user_b', fileWith({}, `${LONG} b`));
    const { notices } = await store.reconcile();
    expect(notices.map(({ kind, stem }) => `${kind} ${stem}`).sort()).toEqual(['added user_a', 'added user_b']);
    expect([store.tier('user_a'), store.tier('user_b')]).toEqual(['inferred', 'inferred']);
  });

  test('6: a check that crashes stops proposing, promoting and reaffirming, and moves nothing', async () => {
    const store = await TestStore.open();
    const [id, sure] = [await store.propose('the build'), await store.verified('the tests')];
    store.pass(7);
    await store.reopen({ checks: [...CHECKS, CRASHING] });
    await expect(store.propose('new')).rejects.toMatchObject({ code: 'check-crashed' });
    await expect(store.decide('promote', id)).rejects.toThrow();
    await expect(store.decide('reaffirm', sure)).rejects.toThrow();
    await store.reconcile();
    expect(store.files('quarantine')).toEqual([]);
    // Lowering is never in the way of a bug.
    await store.decide('demote', id, 'wrong');
    expect(store.tier(id)).toBe('quarantined');
  });

  test('7: what was found is in no message, ledger, index or complaint', async () => {
    const store = await TestStore.open({ checks: [...CHECKS, against(WORD, 'block')] });
    const body = `The word is ${WORD}, and it is a long sentence.`;
    const error = await store.propose('the build', { body }).then(String, (thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'secret-found' });
    expect(JSON.stringify(error) + String(error)).not.toContain(WORD);
    store.write('memories', 'user_found', fileWith({}, body));
    const { notices } = await store.reconcile();
    expect(notices.map(({ kind }) => kind)).toEqual(['quarantined']);
    const kept = [JSON.stringify(notices), store.ledgerLines().join(), store.complaints.join()];
    for (const folder of [store.places.cache, store.places.state]) {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })) {
        if (name.isFile()) kept.push(readFileSync(join(name.parentPath, name.name), 'latin1'));
      }
    }
    for (const text of kept) expect(text).not.toContain(WORD);
    // Of a text that holds a secret not even a hash is written down, or it could be guessed.
    expect(JSON.parse(store.ledgerLines().at(-1) ?? '')).toMatchObject({
      to: 'quarantined',
      digest: null,
      saying: null,
    });
  });

  /** Files that take characters out of text for something else than to show it. */
  const NOT_FOR_SHOWING: Readonly<Record<string, string>> = {
    'core/memory/memory.ts': 'what a body says is hashed, to be compared',
    'core/memory/ids.ts': 'an id is made of a name',
    'actions/agent/last-session.ts': 'a quotation mark within a name becomes another one; nothing is taken out',
    'core/present/dialog-text.ts': 'its own marks are spelled out where stored text has them',
    'core/contradictions/numbers.ts': 'two numbers are compared',
    'core/search/fold-letters.ts': 'words are compared for a search',
    'core/search/tokenize.ts': 'words are compared for a search',
    'core/checks/passages.ts': 'rules are matched on plain words',
    'core/text/sentence-runs.ts': 'sentences are hashed, to be compared with what a person typed',
    'core/text/normalize.ts': 'rules are matched on folded text',
    'core/text/defuse.ts': 'what a client could take for its own mark is made inert; nothing is taken out',
    'core/checks/injection/disguise.ts': 'rules are matched on words spelled apart or with digits',
    'store/disk/joined-modules.ts': 'the page’s own scripts are joined',
    'core/secrets/placeholders.ts': 'words that stand for a secret are left out of what is measured',
    'core/secrets/decoded.ts': 'rules are matched on what an escape stands for',
    'core/memory/references.ts': 'a reference is compared with ids',
    'core/import/unix-text.ts': 'the mark some editors begin a file with is no text',
    'core/sync/shared-paths.ts': 'two paths are compared',
    'store/git/writer.ts': 'a commit message is one line',
    'store/format/forbidden-keys.ts': 'two keys are compared',
    'store/format/yaml-quote.ts': 'what is hidden is written as an escape',
    'store/records/audit-log.ts': 'what is hidden is written as an escape',
  };

  test('8: there is one sanitizer; nothing else takes characters out of what is shown', () => {
    const root = new URL('../../src/', import.meta.url).pathname;
    const sanitizer =
      /^core\/text\/(sanitize|safe-text|code-points|hidden-message|combining-marks|joiners|visible)\.ts$/;
    const hidden =
      /\.replace(?:All)?\(\s*(?:\/[^\n]*(?:\\p\{(?:C|M|Z|Default_Ignorable)|\\u\{?[0-9A-Fa-f]{4}|\\x[01])|[A-Z]+,)/;
    const strippers = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.ts') && !sanitizer.test(name))
      .filter((name) => hidden.test(readFileSync(join(root, name), 'utf8')));
    expect(strippers.filter((name) => NOT_FOR_SHOWING[name] === undefined)).toEqual([]);
    expect(strippers.length).toBeGreaterThan(2);
    const importers = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && /from '[^']*code-points\.ts'/.test(readFileSync(join(root, name), 'utf8')),
    );
    for (const name of importers) expect(name).toMatch(sanitizer);
  });

  test('9: Korean words are a memory like any others', async () => {
    const store = await TestStore.open();
    const body = '빌드는 두 개의 코어에서 실행되며 약 십 분이 걸립니다. 더 빠르게 할 수 없습니다.';
    const korean = { name: '빌드 시간', description: '빌드에 걸리는 시간', body };
    const id = await store.propose('x', korean);
    // The seed's name without Latin letters got a hash; edition 2 spells what a table can.
    expect(id).toBe('user_bildeu_sigan');
    expect(await store.propose('x', { ...korean, name: '다른 제목' })).toBe(id);
    expect(await store.propose('x', { ...korean, body: body.normalize('NFD') })).toBe(id);
    store.pass(7);
    await store.decide('promote', id);
    expect(store.tier(id)).toBe('verified');
    await store.decide('demote', id, '더 이상 사실이 아님');
    await expect(store.propose('x', { ...korean, name: '또 다른 제목' })).rejects.toMatchObject({
      code: 'was-quarantined',
    });
  });

  // 10 ("0 unread" for ever after one dismissal, because two components had two formats for one file): nothing at this
  // layer is dismissed, and each file has one module that reads and writes it. The queue's own tests are the place.
});
