import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CLIENTS, type Home, makeHome } from '../../testkit/clients.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { MAIN } from '../../testkit/program.ts';
import { runHook } from '../../testkit/run-hook.ts';
import type { TestStore } from '../../testkit/store.ts';
import { lastEntry, TestTerminal, terminalTest } from '../../testkit/terminal.ts';

const BODY = 'We deploy only on weekdays.';
const SHORT = { name: 'Deploying', description: 'When to deploy', body: BODY };
const PROMPT = `Have a look at this. ${BODY} Thanks for that.`;
const HOOKED = { CLAUDECODE: '1', AI_AGENT: 'claude-code_2-1-325_harness' };

let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
});
afterEach(() => home.remove());

/** Through the real hook, started by the process that also starts the servers. */
function type(prompt: string): Promise<unknown> {
  return runHook(home.folder, 'user-prompt-submit', { prompt }, { env: { ...sharedEnv(home), ...HOOKED } });
}

/** The same, through another client process. */
function typeElsewhere(prompt: string): Promise<void> {
  const hook = `const { spawnSync } = require('node:child_process');
    spawnSync(process.execPath, [${JSON.stringify(MAIN)}, 'hook', 'user-prompt-submit'], { input: ${JSON.stringify(JSON.stringify({ prompt }))} });`;
  return new Promise((done) => {
    const env = { ...home.env, ...sharedEnv(home), ...HOOKED };
    spawn(process.execPath, ['-e', hook], { env, stdio: 'ignore' }).on('close', () => done());
  });
}

const promptsKept = () => {
  const folder = join(store.places.state, 'prompts');
  return existsSync(folder) ? readdirSync(folder).length : 0;
};

describe.each(CLIENTS)('$client', ({ connect }) => {
  async function promote(id: string, answer = 'yes, make it verified') {
    const questions: string[] = [];
    const client = await connect({
      home,
      env: sharedEnv(home),
      person: ({ message }) => {
        questions.push(message.replaceAll('\n', ' '));
        return { action: 'accept', content: { answer } };
      },
    });
    const { structured } = await client.callTool('promote', { id });
    return { question: questions.join(), structured, client };
  }
  const lastEntryFor = (id: string) => store.vault.ledgerLines((entry) => entry.id === id).at(-1)?.entry;

  test('a question says when the words came through the prompt, and the entry records it', async () => {
    const id = await store.propose('deploying', SHORT);
    await type(PROMPT);
    expect(promptsKept()).toBe(1);
    const { question, structured, client } = await promote(id);
    expect(question).toMatch(
      /text: We deploy only on weekdays\. ┃ wording: these words came through the prompt at \d\d:\d\d$/,
    );
    expect(structured).toMatchObject({ outcome: 'done', tier: 'verified' });
    const { prompted = '' } = lastEntryFor(id) ?? {};
    expect(Math.abs(Date.parse(prompted) - Date.now())).toBeLessThan(600_000);
    await client.close();
    await expect.poll(promptsKept).toBe(0);
  });

  test.each<[what: string, typed: () => Promise<unknown>]>([
    ['nothing was typed', async () => {}],
    ['other words were typed', () => type('Have a look at this. We deploy only on weekdays and holidays.')],
    ['the words were typed elsewhere', () => typeElsewhere(PROMPT)],
  ])('a question says that the wording is the agent’s where %s', async (_, typed) => {
    const id = await store.propose('deploying', SHORT);
    await typed();
    const { question, client } = await promote(id);
    expect(question).toMatch(/ ┃ wording: the agent’s$/);
    expect(lastEntryFor(id)).not.toHaveProperty('prompted');
    await client.close();
  });

  test('words that came through the prompt are no yes', async () => {
    const id = await store.propose('deploying', SHORT);
    await type(PROMPT);
    const { structured, client } = await promote(id, 'no, leave it as it is');
    expect(structured).toMatchObject({ outcome: 'declined', tier: 'inferred' });
    await client.close();
  });
});

/** What a client leaves behind that was killed: a key and hashes of a process that runs no more. */
async function keptOfKilled(): Promise<void> {
  await typeElsewhere(PROMPT);
  expect(promptsKept()).toBe(1);
}

test('what a killed session left behind goes when a server starts, although nobody calls it', async () => {
  await keptOfKilled();
  const [{ connect }] = CLIENTS as [(typeof CLIENTS)[number]];
  const client = await connect({ home, env: sharedEnv(home) });
  await expect.poll(promptsKept).toBe(0);
  await client.close();
});

test('what a killed session left behind goes when a session starts, and what a running one has stays', async () => {
  await keptOfKilled();
  const start = () => runHook(home.folder, 'session-start', { source: 'startup' }, { env: sharedEnv(home) });
  await start();
  expect(promptsKept()).toBe(0);
  await type(PROMPT);
  await start();
  expect(promptsKept()).toBe(1);
});

/** A request for a memory whose words were typed, made while nobody could be asked. */
async function queued(): Promise<string> {
  const id = await store.propose('deploying', SHORT);
  await type(PROMPT);
  const [{ connect }] = CLIENTS as [(typeof CLIENTS)[number]];
  const client = await connect({ home, env: sharedEnv(home) });
  expect((await client.callTool('promote', { id })).structured).toMatchObject({ outcome: 'queued' });
  await client.close();
  return id;
}

for (const [command, action] of [
  ['review', 'promote'],
  ['adopt', 'adopt'],
  ['promote', 'promote'],
] as const) {
  terminalTest(`surety ${command} says what was known when the agent asked`, async () => {
    const id = await queued();
    const args = command === 'review' ? ['review'] : [command, id];
    const terminal = new TestTerminal(home.folder, args, { env: sharedEnv(home) });
    expect(await terminal.answer('y')).toMatch(/wording +these words came through the prompt at \d\d:\d\d; name and/);
    expect((await terminal.end()).code).toBe(0);
    expect(lastEntry(store)).toMatchObject({ action, id, prompted: expect.any(String) });
    const log = await piped(home.folder, ['log', id], sharedEnv(home));
    expect(log.out).toMatch(
      /→ verified {2}a person \(at a terminal, level 1\)\n {2}these words came through the prompt at \d\d:\d\d/,
    );
    const { entries } = JSON.parse((await piped(home.folder, ['log', id, '--json'], sharedEnv(home))).out);
    expect(entries.map((each: { prompted: unknown }) => typeof each.prompted)).toEqual(['object', 'string']);
  });
}

terminalTest('a time that somebody wrote into the queue of requests is no evidence', async () => {
  const id = await store.propose('deploying', SHORT);
  const line = { id, verb: 'promote', digest: store.load(id).digest, askedAt: '2026-01-01T00:00:00Z' };
  const forged = { ...line, client: { name: 'some-client', version: '1' }, prompted: '2026-01-01T00:00:00Z' };
  writeFileSync(join(store.places.state, 'requests.jsonl'), `${JSON.stringify(forged)}\n`);
  const terminal = new TestTerminal(home.folder, ['review'], { env: sharedEnv(home) });
  const shown = await terminal.answer('y');
  expect(shown).toContain('some-client');
  expect(shown).toMatch(/wording +the agent’s/);
  await terminal.end();
  expect(lastEntry(store)).not.toHaveProperty('prompted');
});
