import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLIENTS } from '../../../src/core/clients/clients.ts';
import { type ClientEntry, type Start, shellLine } from '../../../src/core/clients/entries.ts';
import { json } from '../../../src/core/clients/json-format.ts';
import { GUARDED_TOOLS } from '../../../src/core/clients/own-tools.ts';
import { Refusal } from '../../../src/core/refusal.ts';

const START = { command: '/opt/node', args: ['/opt/surety/dist/main.js'] };
const MOVED = { command: '/opt/node', args: ['/srv/surety/dist/main.js'] };
const { withEntries } = json;

function entriesOf(
  holds: 'server' | 'hooks',
  start: Start,
  platform: NodeJS.Platform = 'linux',
): readonly ClientEntry[] {
  return CLIENTS[0]?.setup?.files.find((file) => file.holds === holds)?.entries(start, platform) ?? [];
}

const serverEntries = (start: Start) => entriesOf('server', start);
const hookEntries = (start: Start, platform: NodeJS.Platform) => entriesOf('hooks', start, platform);

/** Removes the entries from `text`, with the containers that were created in `before`. */
function withoutEntries(text: string, entries: readonly ClientEntry[], before: string): string {
  return json.withoutEntries(text, entries, json.made(before, entries));
}

const SERVER = serverEntries(START);
const HOOKS = hookEntries(START, 'linux');

const KINDS: readonly [string, readonly ClientEntry[]][] = [
  ['the server', SERVER],
  ['the hooks', HOOKS],
];

/** What such a file may hold, as an editor or Claude Code writes it. */
const anyValue = fc.jsonValue({ maxDepth: 3 });
const settings = fc.record(
  {
    model: fc.string(),
    'a "quoted" \\ key': anyValue,
    hooks: fc.record(
      {
        PreToolUse: fc.array(fc.record({ matcher: fc.string(), hooks: fc.array(anyValue, { maxLength: 2 }) }), {
          maxLength: 3,
        }),
        SessionStart: fc.array(anyValue, { maxLength: 2 }),
        Stop: fc.array(anyValue, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    mcpServers: fc.dictionary(fc.string(), anyValue, { maxKeys: 3 }),
    'last { [ , "': anyValue,
  },
  { requiredKeys: [] },
);
const indent = fc.constantFrom(2, 4, '\t', 3, 0);

describe.each(KINDS)('%s', (_, entries) => {
  test('are added to any file without touching its other bytes, and removed again to the byte', () => {
    fc.assert(
      fc.property(settings, indent, fc.boolean(), (content, unit, windows) => {
        const plain = `${JSON.stringify(content, null, unit)}\n`;
        const text = windows ? plain.replaceAll('\n', '\r\n') : plain;
        const made = withEntries(text, entries);
        expect(withEntries(made, entries)).toBe(made);
        // Everything is still there, in order: the new text is the old one with insertions.
        expect(isWithin(text, made)).toBe(true);
        expect(withoutEntries(made, entries, text)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test('are found after another program has rewritten the file in its own style', () => {
    fc.assert(
      fc.property(settings, indent, indent, (content, one, other) => {
        const text = JSON.stringify(content, null, one);
        const rewritten = JSON.stringify({ ...JSON.parse(withEntries(text, entries)), more: 1 }, null, other);
        const left = JSON.parse(withoutEntries(rewritten, entries, text));
        expect(left).toEqual({ ...JSON.parse(text), more: 1 });
      }),
      { numRuns: 100 },
    );
  });
});

function isWithin(text: string, longer: string): boolean {
  let at = 0;
  for (const char of longer) if (char === text[at]) at += 1;
  return at === text.length;
}

test.each([
  ["{'a': 1}", 'not JSON'],
  ['', 'not JSON'],
  ['{"hooks": {"SessionStart": [}', 'not JSON'],
  ['\ufeff{}', 'not JSON'],
  ['[]', 'another shape'],
  ['null', 'another shape'],
  ['{"hooks": []}', 'another shape'],
  ['{"hooks": null}', 'another shape'],
  ['{"hooks": {"PreToolUse": {}}}', 'another shape'],
  ['{"hooks": {}, "hooks": {}}', 'another shape'],
])('%j is left alone', (text, why) => {
  const refused = (work: () => string) => {
    try {
      work();
      return 'nothing was refused';
    } catch (error) {
      return error instanceof Refusal ? error.message : 'a bug';
    }
  };
  expect(refused(() => withEntries(text, HOOKS))).toContain(why);
});

test('an entry with old paths is updated, and keeps what the person added to it', () => {
  const before = '{ "mcpServers": { "surety": { "command": "surety", "env": { "A": "b" } /* mine */ } } }';
  const made = withEntries(before, SERVER);
  expect(json.read(made)).toEqual({ mcpServers: { surety: { ...START, env: { A: 'b' } } } });
  expect(made).toContain('/* mine */');
  expect(json.read(withoutEntries(made, SERVER, before))).toEqual({ mcpServers: {} });
  const hooks = JSON.parse(withEntries('{}', HOOKS));
  hooks.hooks.SessionStart[0].hooks[0].timeout = 99;
  const moved = withEntries(JSON.stringify(hooks), hookEntries(MOVED, 'linux'));
  expect(JSON.parse(moved).hooks.SessionStart).toHaveLength(1);
  expect(JSON.parse(moved).hooks.SessionStart[0].hooks[0].timeout).toBe(99);
  expect(moved).toContain('/srv/surety');
  expect(moved).not.toContain('/opt/surety');
});

test('another server of the same name is neither overwritten nor removed', () => {
  const text = JSON.stringify({ mcpServers: { surety: { command: 'mine' } } }, null, 2);
  expect(() => withEntries(text, SERVER)).toThrow('something else is called surety in it');
  expect(withoutEntries(text, SERVER, '{}')).toBe(text);
});

test('the matcher of an earlier version is updated', () => {
  const made = withEntries('{}', HOOKS);
  const former = made.replace(JSON.stringify(GUARDED_TOOLS), '"Bash"');
  expect(former).not.toBe(made);
  expect(withEntries(former, HOOKS)).toBe(made);
});

test('a container that existed before stays when it is empty again', () => {
  const text = '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n';
  expect(withoutEntries(withEntries(text, HOOKS), HOOKS, text)).toBe(text);
});

test('a server that the person registered by hand for the same program is unchanged', () => {
  const text = JSON.stringify({ mcpServers: { surety: { command: 'node', args: START.args, env: { A: 'b' } } } });
  expect(withEntries(text, SERVER)).toBe(text);
  expect(withEntries(text, serverEntries(MOVED))).not.toBe(text);
});

test('hooks that the person added to our group stay when ours is removed', () => {
  const made = JSON.parse(withEntries('{}', HOOKS));
  made.hooks.SessionStart[0].hooks.push({ type: 'command', command: 'mine' });
  const text = JSON.stringify(made, null, 2);
  expect(withEntries(text, HOOKS)).toBe(text);
  const left = withoutEntries(text, HOOKS, '{}');
  expect(JSON.parse(left)).toEqual({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'mine' }] }] } });
});

test('when Node’s path has changed, every entry of ours is updated and nothing else', () => {
  const updated = { ...START, command: '/opt/node-24' };
  const server = withEntries(withEntries('{}', SERVER), serverEntries(updated));
  expect(JSON.parse(server).mcpServers.surety).toMatchObject(updated);
  const made = JSON.parse(withEntries('{}', HOOKS));
  made.hooks.SessionStart[0].hooks.unshift({ type: 'command', command: 'mine' });
  const { hooks } = JSON.parse(withEntries(JSON.stringify(made), hookEntries(updated, 'linux')));
  const command = '/opt/node-24 /opt/surety/dist/main.js hook session-start';
  expect(hooks.SessionStart).toEqual([
    {
      hooks: [
        { type: 'command', command: 'mine' },
        { type: 'command', command, timeout: 30 },
      ],
    },
  ]);
});

test('another program’s hook of the same name is not ours', () => {
  const text = JSON.stringify({
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'other hook session-start' }] }] },
  });
  const made = withEntries(text, HOOKS);
  expect(JSON.parse(made).hooks.SessionStart).toHaveLength(2);
  expect(withoutEntries(made, HOOKS, text)).toBe(text);
});

test('a file with only our entries is empty afterwards; one with a comment is not', () => {
  expect(json.isEmpty(withoutEntries(withEntries(json.empty, HOOKS), HOOKS, json.empty))).toBe(true);
  for (const text of ['{"a":1}', '{ /* mine */ }']) expect(json.isEmpty(text)).toBe(false);
});

test('on Windows the hooks are started without a shell', () => {
  const start = { command: 'C:\\node.exe', args: ['C:\\it’s surety\\dist\\main.js'] };
  const { hooks } = JSON.parse(withEntries('{}', hookEntries(start, 'win32')));
  expect(hooks.SessionStart[0].hooks[0]).toEqual({
    type: 'command',
    command: start.command,
    args: [...start.args, 'hook', 'session-start'],
    timeout: 30,
  });
});

test('a path with any characters is one word to a shell', () => {
  expect(shellLine(['/opt/node', "/it's $HOME `x`/a b.js"])).toBe(`/opt/node '/it'\\''s $HOME \`x\`/a b.js'`);
});

test.each([
  ['Bash', true],
  ['Write', true],
  ['NotebookEdit', true],
  ['mcp__filesystem__write_file', true],
  ['mcp__surety__promote', false],
  ['mcp__plugin_surety_surety__promote', false],
  ['mcp__plugin_other_surety__promote', true],
  ['mcp__plugin_surety_other__promote', true],
  ['TodoWrite', false],
  ['WebFetch', false],
  ['BashOutput', false],
])('the guard checks %s: %s', (tool, asked) => {
  expect(new RegExp(GUARDED_TOOLS).test(tool)).toBe(asked);
});
