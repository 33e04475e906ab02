import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serverEntry } from '../../../src/core/clients/entries.ts';
import { toml } from '../../../src/core/clients/toml-format.ts';

const START = { command: '/opt/my node/bin/node', args: ['/opt/surety/dist/main.js'] };
const OURS = [serverEntry(['mcp_servers'], { ...START }, START)];
const TABLE = '[mcp_servers.surety]\ncommand = "/opt/my node/bin/node"\nargs = ["/opt/surety/dist/main.js"]\n';

/** Texts a person may have, and the text with our table. */
const ADDED: readonly (readonly [what: string, text: string, made: string])[] = [
  ['no text', '', TABLE],
  ['a key', 'model = "x"\n', `model = "x"\n\n${TABLE}`],
  ['no line break at the end', 'model = "x"', `model = "x"\n\n${TABLE.trimEnd()}`],
  ['CRLF', '[a]\r\nb = 1\r\n', `[a]\r\nb = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`],
  ['a byte order mark', '\uFEFFa = 1\n', `\uFEFFa = 1\n\n${TABLE}`],
  [
    'comments',
    '# [mcp_servers.surety]\na = 1 # mcp_servers = {}\n',
    `# [mcp_servers.surety]\na = 1 # mcp_servers = {}\n\n${TABLE}`,
  ],
  ['another server', '[mcp_servers.other]\ncommand = "x"\n', `[mcp_servers.other]\ncommand = "x"\n\n${TABLE}`],
  ['the header of all servers', '[mcp_servers]\n', `[mcp_servers]\n\n${TABLE}`],
  [
    'a header inside a string of several lines',
    'a = """\n[mcp_servers.surety]\n"""\nb = \'\'\'\n[mcp_servers.surety]\ncommand = "surety"\'\'\'\n',
    `a = """\n[mcp_servers.surety]\n"""\nb = '''\n[mcp_servers.surety]\ncommand = "surety"'''\n\n${TABLE}`,
  ],
  [
    'every kind of value',
    'a = 1979-05-27 07:32:00\nb = -1_0.5e3\nc = [ 1, # one\n  { d = "}" }, [\'[\'],\n]\n"e.f" . g = true\n[[h]]\n[[h]]\n',
    `a = 1979-05-27 07:32:00\nb = -1_0.5e3\nc = [ 1, # one\n  { d = "}" }, ['['],\n]\n"e.f" . g = true\n[[h]]\n[[h]]\n\n${TABLE}`,
  ],
];

test.each(ADDED)('%s: our table is added, and taken out to the byte', (_, text, made) => {
  expect(toml.withEntries(text, OURS)).toBe(made);
  expect(toml.withEntries(made, OURS)).toBe(made);
  expect(toml.withoutEntries(made, OURS, [])).toBe(text);
  expect(toml.withoutEntries(text, OURS, [])).toBe(text);
});

test('what the client wrote behind our table stays, and what it wrote below it goes', () => {
  const text = `a = 1\n\n${TABLE}\n[mcp_servers.surety.tools.adopt]\napproval_mode = "approve"\n\n# mine\n[projects."/x"]\ntrust_level = "trusted"\n`;
  expect(toml.withoutEntries(text, OURS, [])).toBe('a = 1\n\n# mine\n[projects."/x"]\ntrust_level = "trusted"\n');
});

test('nothing is left at the start of a file that began with our table', () => {
  expect(toml.withoutEntries(`${TABLE}\n[tui]\n`, OURS, [])).toBe('[tui]\n');
});

test('a program that moved is brought up to date, and what the person set beside it stays', () => {
  const text = `[mcp_servers."surety"] # mine\nenabled = false\nargs = [ # old\n  '/old/surety/main.js',\n]\n\n[z]\n`;
  const now = toml.withEntries(text, OURS);
  expect(now).toBe(
    `[mcp_servers."surety"] # mine\nenabled = false\nargs = ["/opt/surety/dist/main.js"]\ncommand = "/opt/my node/bin/node"\n\n[z]\n`,
  );
  expect(toml.read(now)).toMatchObject({ mcp_servers: { surety: { ...START, enabled: false } } });
});

test.each([
  ['something else is called surety', '[mcp_servers.surety]\ncommand = "mine"\n'],
  ['in braces', 'mcp_servers = { other = { command = "x" } }\n'],
  ['in braces below the header', '[mcp_servers]\nsurety = { command = "surety" }\n'],
  ['by dotted keys', 'mcp_servers.other.command = "x"\n'],
  ['by dotted keys below the header', '[mcp_servers]\nsurety.command = "surety"\n'],
  ['a list of tables', '[[mcp_servers]]\nname = "x"\n'],
  ['twice', `${TABLE}${TABLE}`],
  ['half a string', 'a = "x\n'],
  ['half a list', 'a = [1, 2\n'],
  ['brackets that cross', 'a = [ { ] }\n'],
  ['a header that goes on', '[a] b = 1\n'],
  ['no value', 'a =\n'],
  ['JSON', '{"a": 1}\n'],
])('%s: the text is left alone', (_, text) => {
  expect(() => toml.withEntries(text, OURS)).toThrow(
    /^(?:something else is called surety in it|it (?:is not TOML|has another shape))/,
  );
});

test('whatever stands around it, our table is added once and taken out to the byte', () => {
  const piece = fc.constantFrom(
    'a = 1',
    '[t]',
    '[t.u]',
    "b = 'x'",
    '# [',
    'c = [\n1,\n]',
    '',
    ' ',
    'd = """\n[x]\n"""',
    '[mcp_servers.z]',
    '\t[[l]]',
  );
  const text = fc.tuple(fc.array(piece), fc.constantFrom('\n', '\r\n'), fc.boolean());
  fc.assert(
    fc.property(text, ([pieces, newline, ends]) => {
      const before = pieces.join(newline) + (ends ? newline : '');
      const made = toml.withEntries(before, OURS);
      expect(toml.withEntries(made, OURS)).toBe(made);
      expect(toml.read(made)).toMatchObject({ mcp_servers: { surety: START } });
      expect(toml.withoutEntries(made, OURS, [])).toBe(before);
    }),
  );
});
