import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { change, enrol, requirePasskey } from '../../../testkit/passkeys.ts';
import { BARE_ENV, MAIN } from '../../../testkit/program.ts';
import { TestStore } from '../../../testkit/store.ts';
import { audited, piped, plain, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const printOf = (store: TestStore) => store.vault.self.fingerprint;

function surety(home: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const env = { ...BARE_ENV, HOME: home };
    execFile(process.execPath, [MAIN, 'machines', ...args], { env, cwd: home }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

/** What was written there, with its ledger, in the store the real program uses here. */
function bring(there: TestStore, here: TestStore): void {
  for (const place of ['memories', 'quarantine', 'ledger'] as const) {
    mkdirSync(here.places[place], { recursive: true });
    for (const name of readdirSync(there.places[place]))
      copyFileSync(join(there.places[place], name), join(here.places[place], name));
  }
}

async function twoMachines(name = 'desk') {
  const here = await storeTenDaysAgo();
  await here.propose('something of this machine');
  const there = await TestStore.open({ machine: { name, identity: 'another-machine' } });
  there.now = here.now;
  const id = await there.add('the build');
  bring(there, here);
  return { here, there, id };
}

test('machines lists who has written a ledger here, and whose word counts', async () => {
  const { here, there } = await twoMachines();
  const { code, out } = await surety(here.home);
  expect(code).toBe(0);
  expect(out).toContain(printOf(here));
  expect(out).toContain('counts: this is the machine you are at');
  expect(out).toContain(`desk\n  fingerprint  ${printOf(there)}`);
  expect(out.replaceAll(/\s+/g, ' ')).toContain('does not count: 1 memory would be verified by it, and is advisory');
  const json = JSON.parse((await surety(here.home, '--json')).out);
  expect(json.machines).toMatchObject([
    { fingerprint: printOf(here), own: true, counts: true },
    { fingerprint: printOf(there), name: 'desk', own: false, trusted: false, counts: false, vouchesFor: 1 },
  ]);
});

terminalTest('trust shows the fingerprint and what becomes verified by whom, and takes one yes', async () => {
  const { here, there, id } = await twoMachines();
  expect(here.standing(id)).toBe('inferred:disputed');
  const terminal = new TestTerminal(here.home, ['machines', 'trust', 'desk']);
  const shown = (await terminal.answer('y')).replaceAll('\n', ' ');
  expect(shown).toContain(printOf(there));
  expect(shown).toContain('1 memory becomes verified by this:');
  expect(shown).toMatch(new RegExp(`${id}: a person there, page \\(level 3\\), on \\d{4}-\\d\\d-\\d\\d`));
  expect(shown).toContain('the build');
  expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining('desk is trusted here') });
  await here.reopen();
  expect(here.standing(id)).toBe('verified:vouched');
  expect(audited(here)).toEqual([`machines-trust ${printOf(there)} accepted`]);
});

terminalTest(
  'where a passkey is required a machine can be trusted, and its unsigned receipts still count for nothing',
  async () => {
    const { here, there, id } = await twoMachines();
    const passkey = new SoftwareAuthenticator();
    await enrol(here, passkey);
    await requirePasskey(here, passkey);
    const terminal = new TestTerminal(here.home, ['machines', 'trust', 'desk']);
    expect(await terminal.answer('y')).toContain('No memory becomes verified by this.');
    expect(await terminal.end()).toMatchObject({ code: 0, shown: expect.stringContaining('desk is trusted here') });
    await here.reopen();
    expect(here.report(printOf(there))).toMatchObject({ raises: true });
    expect(here.tier(id)).toBe('inferred');
  },
);

terminalTest('a machine without its key is not asked for a yes that could not be signed', async () => {
  const { here } = await twoMachines();
  rmSync(join(here.places.config, 'key.json'));
  const { code, shown } = await new TestTerminal(here.home, ['machines', 'trust', 'desk']).end();
  expect(code).toBe(1);
  expect(shown).not.toContain('becomes verified by this');
});

terminalTest('Enter trusts nobody, and that is on record', async () => {
  const { here, there, id } = await twoMachines();
  const terminal = new TestTerminal(here.home, ['machines', 'trust', printOf(there).slice(0, 8)]);
  await terminal.answer('');
  expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was changed.') });
  await here.reopen();
  expect(here.standing(id)).toBe('inferred:disputed');
  expect(audited(here)).toEqual([`machines-trust ${printOf(there)} unchanged left`]);
});

terminalTest('a ledger that grew while the person read is not trusted by their yes', async () => {
  const { here, there, id } = await twoMachines();
  const terminal = new TestTerminal(here.home, ['machines', 'trust', 'desk']);
  await terminal.until(/answer: $/);
  await there.add('something nobody was shown');
  bring(there, here);
  terminal.press('y\r');
  expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('changed while the person') });
  await here.reopen();
  expect(here.standing(id)).toBe('inferred:disputed');
  expect(audited(here)).toEqual([`machines-trust ${printOf(there)} refused changed-meanwhile`]);
});

test('trust asks a person: without a terminal and in an agent’s shell it is refused and on record', async () => {
  const { here, id } = await twoMachines();
  const { code, err } = await surety(here.home, 'trust', 'desk');
  expect(code).toBe(1);
  expect(err).toMatch(/surety machines trust asks a person/);
  await here.reopen();
  expect(here.standing(id)).toBe('inferred:disputed');
  expect(audited(here)).toEqual(['machines trust refused needs-person']);
});

test('distrust says that a passkey is required again, where only that machine’s ledger says that it was released', async () => {
  const { here, there, id } = await twoMachines();
  const passkey = new SoftwareAuthenticator();
  await enrol(there, passkey);
  await requirePasskey(there, passkey);
  await change(there, 'released', {}, passkey);
  bring(there, here);
  await here.reconcile();
  here.trust(printOf(there), 'desk');
  const out = (await surety(here.home, 'distrust', 'desk')).out.replaceAll('\n', ' ');
  expect(out).toContain(id);
  expect(out).toContain('In this store a yes counts only with a passkey again. That was released with a passkey');
  expect(out).not.toContain('surety adopt');
});

test('distrust lowers at once and is on record', async () => {
  const { here, there, id } = await twoMachines();
  await here.reconcile();
  here.trust(printOf(there), 'desk');
  expect(here.standing(id)).toBe('verified:vouched');
  const { code, out } = await surety(here.home, 'distrust', 'desk');
  expect({ code, out: out.replaceAll('\n', ' ') }).toEqual({
    code: 0,
    out: `The word of desk does not count here any more; 1 memory is verified no longer.   ${id} Look at each: surety adopt ID makes what you still vouch for count again, at once. `,
  });
  await here.reopen();
  expect(here.standing(id)).toBe('inferred:disputed');
  expect(here.audit()).toMatchObject([{ action: 'machines-distrust', id: printOf(there), outcome: 'accepted' }]);
});

terminalTest(
  'distrust names what it lowers, also what was vouched for here before, and adopt makes it count',
  async () => {
    const { here, there } = await twoMachines();
    await here.reconcile();
    here.trust(printOf(there), 'desk');
    const id = await here.add('the shell');
    bring(here, there);
    there.trust(printOf(here), 'here');
    await there.decide('reaffirm', id);
    bring(there, here);
    await here.reopen();
    expect(here.standing(id)).toBe('verified:vouched');
    const { out } = await surety(here.home, 'distrust', 'desk');
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`${id}, which you or a machine you trust vouched for before`);
    const terminal = new TestTerminal(here.home, ['adopt', id]);
    await terminal.answer('y');
    expect((await terminal.end()).code).toBe(0);
    await here.reopen();
    expect(here.standing(id)).toBe('verified:vouched');
  },
);

test('a name is the operator’s own and means nothing for trust', async () => {
  const { here, there } = await twoMachines();
  expect((await surety(here.home, 'name', 'desk', 'cellar')).code).toBe(0);
  const { out } = await surety(here.home);
  expect(out).toContain(`cellar\n  fingerprint  ${printOf(there)}\n  calls itself desk`);
  expect(out).toContain('does not count');
  const logged = await piped(here.home, ['log']);
  expect(logged.out).toContain('on cellar; cannot raise anything here');
  expect(logged.out).not.toContain('on desk');
  expect((await surety(here.home, 'name', 'cellar', '\u200b')).err).toContain('1 to 40 characters that show');
  await here.reopen();
  here.trust(printOf(there), 'desk');
  expect((await surety(here.home)).out).toContain('cellar\n');
});

terminalTest('a machine keeps the name it was trusted under, until it is trusted under another', async () => {
  const { here, there } = await twoMachines();
  here.trust(printOf(there), 'cellar');
  expect((await surety(here.home, 'distrust', 'cellar')).code).toBe(0);
  expect((await surety(here.home)).out).toContain('cellar\n');
  const terminal = new TestTerminal(here.home, ['machines', 'trust', 'cellar', '--name', 'attic']);
  await terminal.answer('y');
  expect((await terminal.end()).code).toBe(0);
  const { out } = await surety(here.home);
  expect(out).toContain('attic\n');
  expect(out).not.toContain('cellar');
});

test('two machines of one name are told apart by fingerprint, and neither is picked by the name', async () => {
  const { here, there } = await twoMachines();
  const third = await TestStore.open({ machine: { name: 'desk', identity: 'a-third-machine' } });
  await third.add('the door');
  bring(third, here);
  const { out } = await surety(here.home);
  expect(out.match(/another machine has this name/g)).toHaveLength(2);
  const { code, err } = await surety(here.home, 'distrust', 'desk');
  expect(code).toBe(1);
  expect(err).toContain('More than one machine fits');
  expect((await surety(here.home, 'name', printOf(there).slice(0, 12), 'desk one')).code).toBe(0);
  expect((await surety(here.home)).out).not.toContain('another machine has this name');
  expect(await surety(here.home, 'name', 'desk', 'desk two')).toMatchObject({
    err: '',
    out: `${printOf(third).slice(0, 16)} is called desk two here.\n`,
  });
});

test('what a machine calls itself plays no tricks with the terminal', async () => {
  const { here } = await twoMachines('desk\u001b[2J\u202Eksed');
  const { out } = await surety(here.home);
  expect(out).not.toContain('\u001b');
  expect(plain(out)).toContain('⟨U+001B⟩');
});

test.each([
  [['trust'], 'surety machines trust needs one machine'],
  [['name', 'desk'], 'surety machines name needs a machine and its new name'],
  [['forget', 'desk'], 'surety machines knows trust, distrust and name'],
  [['toString', 'desk'], 'surety machines knows trust, distrust and name'],
  [['distrust', 'desk', '--name', 'x'], '--name goes with trust'],
  [['trust', 'desk', '--yes'], 'does not know the option at argument 4'],
])('%j is not understood', async (args, sentence) => {
  const { code, err } = await surety((await storeTenDaysAgo()).home, ...args);
  expect(code).toBe(64);
  expect(err).toContain(sentence);
});

test('an unknown machine, and this one, are refused in words', async () => {
  const { here } = await twoMachines();
  expect((await surety(here.home, 'distrust', 'nobody')).err).toContain('No machine of that name has a ledger here');
  expect((await surety(here.home, 'distrust', printOf(here))).err).toContain('its own word always counts');
});
