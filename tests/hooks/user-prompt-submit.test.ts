import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisMachine } from '../../src/store/places/host.ts';
import { runHook } from '../../testkit/run-hook.ts';
import { TestStore, temporaryFolder } from '../../testkit/store.ts';

const PROMPT = 'Please look at the tests. Remember that we deploy only on weekdays. Never after four on Fridays.';
const SENTENCES = PROMPT.split(/(?<=\.) /);
const IN_CLAUDE_CODE = { CLAUDECODE: '1', AI_AGENT: 'claude-code_2-1-325_harness', CLAUDE_PROJECT_DIR: '/work' };

const freshStore = () => TestStore.open({ machine: thisMachine() });

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const kept = (home: string) => filesIn(home).filter((file) => /[\\/]prompts[\\/]/.test(file));

test('keeps hashes and no text: the sentences are in no file, nor anything that tells them without the key', async () => {
  const { home } = await freshStore();
  expect(await runHook(home, 'user-prompt-submit', { prompt: PROMPT }, { env: IN_CLAUDE_CODE })).toEqual({
    code: 0,
    out: '',
    err: '',
    answer: undefined,
  });
  expect(kept(home)).toHaveLength(1);
  const texts = [PROMPT, ...SENTENCES, SENTENCES.slice(0, 2).join(' '), SENTENCES.slice(1).join(' ')];
  const plain = texts.flatMap((text) => {
    const spellings = [text, text.toLowerCase(), text.replace(/\.$/, ''), text.toLowerCase().replace(/\.$/, '')];
    const first = text.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '');
    return [...spellings, first];
  });
  const needles = plain.flatMap((text) => {
    const hash = createHash('sha256').update(text);
    const digest = hash.digest();
    const bytes = Buffer.from(text);
    const base64 = [bytes, digest].map((each) => each.toString('base64').replace(/.{0,2}=*$/, ''));
    return [
      text,
      digest.toString('hex'),
      bytes.toString('hex'),
      ...base64,
      ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    ];
  });
  for (const file of filesIn(home)) {
    const bytes = readFileSync(file);
    for (const needle of new Set(needles)) expect(bytes.includes(needle), `${needle} in ${file}`).toBe(false);
  }
});

test('a prompt that asks to remember something tells the model to propose it and to ask', async () => {
  const { home } = await freshStore();
  for (const prompt of [
    'remember: we deploy only on weekdays',
    'REMEMBER: tabs',
    'Please remember that we deploy on Tuesdays.',
  ]) {
    const { answer } = await runHook(home, 'user-prompt-submit', { prompt }, { env: IN_CLAUDE_CODE });
    expect(answer?.hookSpecificOutput?.hookEventName).toBe('UserPromptSubmit');
    expect(answer?.hookSpecificOutput?.additionalContext).toMatch(
      /^[^\n]*propose_memory[^\n]* at most three words each [^\n]* adopt [^\n]*$/,
    );
  }
});

test.each<[what: string, prompt: string, env: Record<string, string>]>([
  ['what an agent’s shell sends', PROMPT, { ...IN_CLAUDE_CODE, AI_AGENT: 'claude-code_2-1-325_agent' }],
  ['what a shell of an older Claude Code sends', PROMPT, { CLAUDECODE: '1' }],
  ['what another agent’s shell sends', PROMPT, { CODEX_SANDBOX: 'seatbelt' }],
  ['what a session without a person sends', PROMPT, { ...IN_CLAUDE_CODE, CLAUDE_CODE_SESSION_ATTENDED: '0' }],
  ['a client’s own message', `<task-notification>${PROMPT}</task-notification>`, IN_CLAUDE_CODE],
  [
    'another session’s message',
    `Another Claude session sent a message:\n<agent-message from="b">\n${PROMPT}\n</agent-message>`,
    IN_CLAUDE_CODE,
  ],
  ['a background task’s event', `[SYSTEM NOTIFICATION - NOT USER INPUT]\n${PROMPT}`, IN_CLAUDE_CODE],
  ['what another hook said', `Stop hook feedback:\n${PROMPT}`, IN_CLAUDE_CODE],
  ['a summary of an earlier conversation', `This session is being continued from before.\n${PROMPT}`, IN_CLAUDE_CODE],
  ['a prompt with a secret', `${PROMPT} The password: hV9x!kq2Zr7Tn4Lw is new.`, IN_CLAUDE_CODE],
  ['a long prompt', `${PROMPT} ${'word '.repeat(200)}`, IN_CLAUDE_CODE],
])('keeps nothing of %s', async (_, prompt, env) => {
  const { home } = await freshStore();
  expect(await runHook(home, 'user-prompt-submit', { prompt }, { env })).toMatchObject({ code: 0, out: '' });
  expect(kept(home)).toEqual([]);
});

test('of Qwen Code only what was submitted is a prompt, because it starts the hook also before it goes on by itself', async () => {
  const { home } = await freshStore();
  const args = ['--client', 'qwen-code'];
  const prompt = 'remember: we deploy only on weekdays';
  for (const submitted of [{}, { submitted_prompt: '' }, { submitted_prompt: 'go on' }, { submitted_prompt: [prompt] }])
    expect(await runHook(home, 'user-prompt-submit', { prompt, ...submitted }, { args })).toMatchObject({ out: '' });
  expect(await runHook(home, 'user-prompt-submit', { prompt: '' }, { args })).toMatchObject({ code: 0, out: '' });
  expect(kept(home)).toEqual([]);
  const { answer } = await runHook(
    home,
    'user-prompt-submit',
    { prompt: `${prompt} @a`, submitted_prompt: prompt },
    { args },
  );
  expect(answer?.hookSpecificOutput?.additionalContext).toContain('propose_memory');
  expect(kept(home)).toHaveLength(1);
});

test('what an agent tells a subagent is no person’s prompt, and asks for nothing', async () => {
  const { home } = await freshStore();
  const subagent = { agent_id: '019b-4c', agent_type: 'explorer' };
  for (const prompt of [PROMPT, `remember: ${PROMPT}`]) {
    expect(await runHook(home, 'user-prompt-submit', { prompt, ...subagent })).toMatchObject({ code: 0, out: '' });
  }
  expect(kept(home)).toEqual([]);
});

test('creates no store, and answers nothing without one', async () => {
  const home = temporaryFolder();
  const ran = await runHook(home, 'user-prompt-submit', { prompt: `remember: ${PROMPT}` }, { env: IN_CLAUDE_CODE });
  expect(ran).toEqual({ code: 0, out: '', err: '', answer: undefined });
  for (const name of ['.surety', '.config', '.local', '.cache']) expect(existsSync(join(home, name)), name).toBe(false);
});

test('what a session left behind that is over goes with the next prompt', async () => {
  const { home } = await freshStore();
  const send = () => runHook(home, 'user-prompt-submit', { prompt: PROMPT }, { env: IN_CLAUDE_CODE });
  await send();
  const [own = ''] = kept(home);
  const [first = '', ...lines] = readFileSync(own, 'utf8').split('\n');
  const ended = own.replace(/[^\\/]+$/, `${'0'.repeat(32)}.jsonl`);
  writeFileSync(ended, [JSON.stringify({ ...JSON.parse(first), started: '1' }), ...lines].join('\n'));
  await send();
  expect(kept(home)).toEqual([own]);
  expect(readFileSync(own, 'utf8').trim().split('\n')).toHaveLength(3);
});

test('a session’s key is replaced after a day', async () => {
  const { home } = await freshStore();
  const send = () => runHook(home, 'user-prompt-submit', { prompt: PROMPT }, { env: IN_CLAUDE_CODE });
  await send();
  const [own = ''] = kept(home);
  const [first = '', ...lines] = readFileSync(own, 'utf8').split('\n');
  const { key, ...rest } = JSON.parse(first);
  const made = `${new Date(Date.now() - 86_402_000).toISOString().slice(0, 19)}Z`;
  writeFileSync(own, [JSON.stringify({ ...rest, key, made }), ...lines].join('\n'));
  await send();
  const after = readFileSync(own, 'utf8').trim().split('\n');
  expect(JSON.parse(after[0] ?? '').key).not.toBe(key);
  expect(after).toHaveLength(2);
});
