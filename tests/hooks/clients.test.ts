import { describe, expect, test } from 'vitest';
import { HOOK_CLIENTS, type HookClient } from '../../src/core/clients/hook-answers.ts';
import { runHook } from '../../testkit/run-hook.ts';
import { storeTenDaysAgo } from '../../testkit/terminal.ts';

const QUESTION = 'How often is the staging database backed up to Frankfurt?';

/** What each client sends, as it was seen (Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI) or read in its documentation. */
const SENT: Readonly<Record<HookClient, (home: string) => Record<string, unknown>>> = {
  'claude-code': (cwd) => ({ session_id: 's', transcript_path: '/t', cwd, permission_mode: 'default' }),
  codex: (cwd) => ({
    session_id: 's',
    turn_id: 't',
    transcript_path: null,
    cwd,
    model: 'm',
    permission_mode: 'default',
  }),
  'gemini-cli': (cwd) => ({ session_id: 's', transcript_path: '/t', cwd, timestamp: '2026-11-16T06:05:45.905Z' }),
  'qwen-code': (cwd) => ({
    session_id: 's',
    transcript_path: '/t',
    cwd,
    timestamp: '2026-11-19T17:43:35.257Z',
    permission_mode: 'default',
    prompt_id: 's########0',
  }),
  'copilot-cli': (cwd) => ({ session_id: 's', timestamp: '2026-11-16T06:05:49.637Z', cwd }),
  'vs-code': (cwd) => ({ sessionId: 's', timestamp: '2026-11-16T06:05:49.637Z', cwd, hookEventName: 'x' }),
  cursor: (cwd) => ({ conversation_id: 's', generation_id: 'g', workspace_roots: [cwd], cursor_version: '2' }),
};
/** Where each client takes text for its model. */
const CONTEXT: Readonly<Record<HookClient, readonly string[]>> = {
  'claude-code': ['hookSpecificOutput', 'additionalContext'],
  codex: ['hookSpecificOutput', 'additionalContext'],
  'vs-code': ['hookSpecificOutput', 'additionalContext'],
  'gemini-cli': ['hookSpecificOutput', 'additionalContext'],
  'qwen-code': ['hookSpecificOutput', 'additionalContext'],
  'copilot-cli': ['additionalContext'],
  cursor: ['additional_context'],
};

async function storeWithBackup() {
  const store = await storeTenDaysAgo();
  for (const about of ['two cores', 'dark mode', 'the printer'])
    await store.add(about, { body: `About ${about}, a note.` });
  await store.add('Backups', { body: 'The staging database is backed up every four hours to the Frankfurt bucket.' });
  store.now = Date.now();
  return store;
}

describe.each(Object.keys(HOOK_CLIENTS) as HookClient[])('%s', (client) => {
  const args = ['--client', client];
  const at = [...CONTEXT[client]];

  test('gets session start and prompts in its own form, and a memory once', async () => {
    const { home } = await storeWithBackup();
    const sent = SENT[client](home);
    // Qwen Code names apart what was submitted.
    const asking = { prompt: QUESTION, submitted_prompt: QUESTION };
    const asked = await runHook(home, 'user-prompt-submit', { ...sent, ...asking }, { args });
    expect({ code: asked.code, err: asked.err }).toEqual({ code: 0, err: '' });
    expect(asked.answer).toHaveProperty(at, expect.stringContaining('every four hours'));
    expect((await runHook(home, 'user-prompt-submit', { ...sent, ...asking }, { args })).out).toBe('');
    const started = await runHook(home, 'session-start', { ...sent, source: 'startup' }, { args });
    expect(started.answer).toHaveProperty(at, expect.stringContaining('has for this session'));
    expect((await runHook(home, 'user-prompt-submit', { ...sent, ...asking }, { args })).out).toBe('');
    expect(await runHook(home, 'pre-compact', sent, { args })).toMatchObject({ code: 0, out: '', err: '' });
    const again = await runHook(home, 'user-prompt-submit', { ...sent, ...asking }, { args });
    expect(again.answer).toHaveProperty(at, expect.stringContaining('every four hours'));
  });

  test('is told in its own form that a tool is refused', async () => {
    const { home, places } = await storeWithBackup();
    const call = { tool_name: 'Write', tool_input: { file_path: `${places.memories}/x.md`, content: '' } };
    const { out } = await runHook(home, 'pre-tool-use', { ...SENT[client](home), ...call }, { args });
    const keys = { 'gemini-cli': '"decision":"deny"', cursor: '"permission":"deny"' } as Record<string, string>;
    expect(out).toContain(keys[client] ?? '"permissionDecision":"deny"');
    expect(out).toContain('Surety’s own files');
  });

  test('is refused a file that it names from the folder it works in', async () => {
    const { home, places } = await storeWithBackup();
    const call = { tool_name: 'Write', tool_input: { file_path: 'x.md', content: '' } };
    const { out } = await runHook(home, 'pre-tool-use', { ...SENT[client](places.memories), ...call }, { args });
    expect(out).toContain('Surety’s own files');
  });

  test('is refused a memory’s file by its own tools', async () => {
    const { home, places } = await storeWithBackup();
    for (const { tool_name, tool_input } of [
      { tool_name: 'Bash', tool_input: { command: `cat ${places.memories}/x.md` } },
      { tool_name: 'run_shell_command', tool_input: { command: `cat ${places.memories}/x.md`, description: 'd' } },
      { tool_name: 'read_file', tool_input: { file_path: `${places.memories}/x.md` } },
      { tool_name: 'view', tool_input: { path: `${places.memories}/x.md` } },
      { tool_name: 'glob', tool_input: { pattern: 'memories/*.md', path: places.root } },
      { tool_name: 'grep_search', tool_input: { pattern: 'x', include_pattern: '*.md', dir_path: places.memories } },
    ]) {
      const call = { ...SENT[client](home), tool_name, tool_input };
      const { out } = await runHook(home, 'pre-tool-use', call, { args });
      expect([tool_name, out]).toEqual([tool_name, expect.stringContaining('closed to tools')]);
    }
  });

  test.each([
    '',
    'null',
    '[]',
    '{"prompt":7,"session_id":[],"cwd":{},"workspace_roots":[null]}',
    '{"prompt":"x","cwd":"relative"}',
  ])('whose input is %j gets no answer and no failure', async (input) => {
    const { home } = await storeWithBackup();
    for (const hook of ['session-start', 'user-prompt-submit', 'pre-compact'] as const)
      expect(await runHook(home, hook, input, { args })).toMatchObject({ code: 0 });
  });
});

test('what Gemini CLI was given at the start and puts before a prompt does not hide the prompt', async () => {
  const { home } = await storeWithBackup();
  const prompt = `<hook_context>What the person's &lt;memory&gt; <x> has.\n</hook_context>\n\n${QUESTION}`;
  const input = { ...SENT['gemini-cli'](home), prompt };
  const { answer } = await runHook(home, 'user-prompt-submit', input, { args: ['--client', 'gemini-cli'] });
  expect(answer?.hookSpecificOutput).toMatchObject({ hookEventName: 'BeforeAgent' });
});

test('a client that is not known is a mistake in the command line', async () => {
  const { home } = await storeWithBackup();
  const { code, err } = await runHook(home, 'session-start', {}, { args: ['--client', 'emacs'] });
  expect(code).toBe(64);
  expect(err).toContain('--client is one of claude-code, codex, vs-code, gemini-cli, qwen-code, cursor, copilot-cli');
});
