import * as fs from 'node:fs';
import * as os from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Disk } from '../../../src/store/disk/disk.ts';
import {
  DEFAULTS,
  looserThanDefaults,
  NUMBERS,
  readSettings,
  type Settings,
  trustSettings,
  wholeNumber,
} from '../../../src/store/places/settings.ts';

let config: string;
beforeEach(() => {
  config = fs.mkdtempSync(join(os.tmpdir(), 'surety-'));
});
afterEach(() => fs.rmSync(config, { recursive: true, force: true }));

const read = () => readSettings(config, new Disk());
function given(value: unknown): ReturnType<typeof readSettings> {
  fs.writeFileSync(join(config, 'config.json'), typeof value === 'string' ? value : JSON.stringify(value));
  return read();
}

const NUMBER_KEYS = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];

test('the defaults are those that are documented', () => {
  expect(DEFAULTS).toEqual({
    observationDays: 7,
    staleDays: 90,
    proposalsPerSession: 50,
    contextCharacters: 12_000,
    contextMemories: 20,
    owner: { emails: [] },
    injection: 'hold',
    context: 'verified-first',
    recallPerPrompt: 'verified',
    minimumAssurance: 1,
  });
  expect(Object.entries(NUMBERS).map(([key, { least, most }]) => [key, least, most])).toEqual([
    ['observationDays', 0, 365],
    ['staleDays', 1, 3650],
    ['proposalsPerSession', 0, 10_000],
    ['contextCharacters', 0, 40_000],
    ['contextMemories', 0, 100],
    ['minimumAssurance', 1, 4],
  ]);
});

test('without a config file everything is at its default and nothing is said', () => {
  expect(read()).toEqual({ settings: DEFAULTS, warnings: [] });
  expect(readSettings(join(config, 'missing'), new Disk())).toEqual({ settings: DEFAULTS, warnings: [] });
  expect(given({})).toEqual({ settings: DEFAULTS, warnings: [] });
});

test('good values are taken as they are, without a word', () => {
  const settings: Settings = {
    observationDays: 0,
    staleDays: 3650,
    proposalsPerSession: 10_000,
    contextCharacters: 0,
    contextMemories: 100,
    owner: { emails: ['me@example.org'], githubHandle: 'octo-cat', homeUser: 'me' },
    injection: 'warn',
    context: 'verified-only',
    recallPerPrompt: 'off',
    minimumAssurance: 3,
  };
  expect(given(settings)).toEqual({ settings, warnings: [] });
  expect(given(`\uFEFF${JSON.stringify(settings)}`)).toEqual({ settings, warnings: [] });
});

describe.each(NUMBER_KEYS)('%s', (key) => {
  const range = NUMBERS[key];
  const within = (n: number) => Math.min(range.most, Math.max(range.least, n));
  const vectors: [label: string, json: string, expected: number][] = [
    ['-1', '-1', range.least],
    ['0', '0', within(0)],
    ['5', '5', within(5)],
    ['20', '20', within(20)],
    ['100', '100', within(100)],
    ['far above', '1000000', range.most],
    ['"5"', '"5"', within(5)],
    ['5.7', '5.7', within(5)],
    ['"five"', '"five"', range.standard],
    ['null', 'null', range.standard],
    ['true', 'true', within(1)],
    ['false', 'false', range.least],
    ['1e999, which is Infinity', '1e999', range.standard],
    ['an empty string', '""', range.standard],
    ['a hexadecimal string', '"0x10"', range.standard],
    ['a list', '[5]', range.standard],
    ['an object', '{"valueOf":5}', range.standard],
    ['-0.5', '-0.5', range.least],
  ];
  test.each(vectors)(
    'X12: %s is brought into range, and said when it is not what was written',
    (_label, json, expected) => {
      const { settings, warnings } = given(`{"${key}": ${json}}`);
      expect(settings[key]).toBe(expected);
      expect(settings).toEqual({ ...DEFAULTS, [key]: expected });
      const asWritten = json === String(expected);
      expect(warnings).toHaveLength(asWritten ? 0 : 1);
      if (!asWritten) expect(warnings[0]).toMatch(new RegExp(`^config\\.json: ${key} .*; ${expected} is used$`));
    },
  );

  test('Infinity, NaN and nothing at all give the default', () => {
    for (const bad of [Infinity, -Infinity, Number.NaN, undefined]) {
      expect(wholeNumber(bad, range)).toEqual({ value: range.standard, exact: false });
    }
  });

  test('whatever is written, the value is a whole number in range', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.double(), fc.integer(), fc.string()), (written) => {
        const { value } = wholeNumber(written, range);
        expect(Number.isSafeInteger(value) && value >= range.least && value <= range.most).toBe(true);
        expect(Object.is(value, -0)).toBe(false);
      }),
    );
  });
});

describe('other settings', () => {
  test('injection other than hold or warn stays hold', () => {
    for (const bad of ['off', 'Warn', null, 1, ['warn']]) {
      const { settings, warnings } = given({ injection: bad });
      expect(settings.injection).toBe('hold');
      expect(warnings).toEqual(['config.json: injection must be "hold" or "warn"; "hold" is used']);
    }
  });

  test('recallPerPrompt other than verified, all or off stays verified', () => {
    expect(given({ recallPerPrompt: 'all' }).settings.recallPerPrompt).toBe('all');
    expect(given({ recallPerPrompt: true })).toEqual({
      settings: DEFAULTS,
      warnings: ['config.json: recallPerPrompt must be "verified", "all" or "off"; "verified" is used'],
    });
  });

  test('context other than verified-first or verified-only stays verified-first', () => {
    for (const bad of ['verified', 'all', null, true]) {
      const { settings, warnings } = given({ context: bad });
      expect(settings.context).toBe('verified-first');
      expect(warnings).toEqual([
        'config.json: context must be "verified-first" or "verified-only"; "verified-first" is used',
      ]);
    }
  });

  test('an owner keeps what is good and says what is not', () => {
    const { settings, warnings } = given({
      owner: { emails: ['me@example.org', 'nobody', 7, 'a b@c'], githubHandle: '@octocat', homeUser: '../x' },
    });
    expect(settings.owner).toEqual({ emails: ['me@example.org'], githubHandle: 'octocat' });
    expect(warnings).toEqual([
      'config.json: owner.homeUser is not a name of that kind; it is left empty',
      'config.json: owner.emails holds 3 that are no e-mail address; left out',
    ]);
    expect(given({ owner: 'me' }).settings.owner).toEqual({ emails: [] });
    expect(given({ owner: { emails: 'me@example.org' } }).warnings).toHaveLength(1);
  });

  test('an owner with endless addresses is cut, and that is said', () => {
    const emails = Array.from({ length: 60 }, (_, i) => `me${i}@example.org`);
    const { settings, warnings } = given({ owner: { emails } });
    expect(settings.owner.emails).toEqual(emails.slice(0, 50));
    expect(warnings).toHaveLength(1);
  });
});

describe('unknown keys', () => {
  test('are warned about by position and by the setting they resemble', () => {
    const { settings, warnings } = given({
      staleDays: 30,
      observation_days: 1,
      owner: { Emails: [] },
      confirmed: true,
    });
    expect(settings).toEqual({ ...DEFAULTS, staleDays: 30 });
    expect(warnings).toEqual([
      'config.json: key 2 is no setting of Surety and is ignored (did you mean observationDays?)',
      'config.json: key 4 is no setting of Surety and is ignored',
      'config.json: key 1 of owner is no setting of Surety and is ignored (did you mean owner.emails?)',
    ]);
  });

  test('in great number are counted', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i]));
    const { warnings } = given(many);
    expect(warnings).toHaveLength(6);
    expect(warnings[5]).toBe('config.json: 35 more unknown keys are ignored');
  });

  test('cannot be __proto__ in disguise', () => {
    const { settings, warnings } = given('{"__proto__": {"observationDays": 0, "injection": "warn"}}');
    expect(settings).toEqual(DEFAULTS);
    expect(warnings).toHaveLength(1);
  });
});

describe('a file that cannot be used leaves all defaults and one warning', () => {
  const path = () => join(config, 'config.json');
  const unused: [string, () => void, RegExp][] = [
    ['a symbolic link', () => linked(), /symbolic link/],
    ['a hard link', () => hardLinked(), /hard link/],
    ['too large', () => fs.writeFileSync(path(), `{"staleDays": 1${' '.repeat(70_000)}}`), /64 KiB/],
    ['a folder', () => fs.mkdirSync(path()), /not a regular file/],
    ['not JSON', () => fs.writeFileSync(path(), '{"staleDays": 1,}'), /not a JSON object/],
    ['empty', () => fs.writeFileSync(path(), ''), /not a JSON object/],
    ['a list', () => fs.writeFileSync(path(), '[1]'), /not a JSON object/],
    ['null', () => fs.writeFileSync(path(), 'null'), /not a JSON object/],
    [
      'not UTF-8',
      () => fs.writeFileSync(path(), Buffer.from('{"staleDays": 1, "x": "\xff"}', 'latin1')),
      /JSON object/,
    ],
  ];
  function linked() {
    fs.writeFileSync(join(config, 'other.json'), '{"staleDays": 1}');
    fs.symlinkSync(join(config, 'other.json'), path());
  }
  function hardLinked() {
    fs.writeFileSync(join(config, 'other.json'), '{"staleDays": 1}');
    fs.linkSync(join(config, 'other.json'), path());
  }
  test.each(unused)('%s', (_label, make, why) => {
    make();
    const { settings, warnings } = read();
    expect(settings).toEqual(DEFAULTS);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(why);
  });
});

test('no warning repeats what stands in the file', () => {
  const canary = 'IGNORE-ALL-RULES';
  const forms: unknown[] = [
    canary,
    { [canary]: 1 },
    { injection: canary },
    { context: canary },
    { owner: canary },
    { owner: { [canary]: 1, emails: [canary], githubHandle: `${canary}!`, homeUser: `${canary}/` } },
    ...NUMBER_KEYS.map((key) => ({ [key]: canary })),
  ];
  for (const form of forms) {
    const { warnings } = given(form === canary ? `{${canary}` : form);
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.join('\n')).not.toContain(canary);
  }
});

describe('settings looser than the defaults', () => {
  test('none are named when nothing is looser, or when all is stricter', () => {
    expect(looserThanDefaults(DEFAULTS)).toEqual([]);
    const strict: Settings = {
      ...DEFAULTS,
      observationDays: 365,
      staleDays: 1,
      proposalsPerSession: 0,
      contextCharacters: 0,
      contextMemories: 0,
      context: 'verified-only',
      recallPerPrompt: 'off',
      minimumAssurance: 3,
    };
    expect(looserThanDefaults(strict)).toEqual([]);
  });

  test.each<[keyof Settings, unknown]>([
    ['observationDays', 6],
    ['staleDays', 91],
    ['proposalsPerSession', 51],
    ['contextCharacters', 12_001],
    ['contextMemories', 21],
    ['injection', 'warn'],
    ['recallPerPrompt', 'all'],
  ])('%s set to %s is named with its default and what it costs', (key, value) => {
    const lines = looserThanDefaults({ ...DEFAULTS, [key]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${key} is ${value} \\(default ${DEFAULTS[key]}\\): .{20,}`));
  });
});

test('a receipt records the settings it was made under: what is not in it was at its default', () => {
  const always = { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 };
  expect(trustSettings(DEFAULTS)).toEqual(always);
  const changed = {
    observationDays: 0,
    staleDays: 30,
    proposalsPerSession: 500,
    contextCharacters: 0,
    contextMemories: 100,
    injection: 'warn',
    context: 'verified-only',
    recallPerPrompt: 'all',
    minimumAssurance: 3,
  } as const;
  expect(trustSettings({ ...changed, owner: DEFAULTS.owner })).toEqual(changed);
});

test('a receipt records which of the owner’s marks were set, and none of them', () => {
  const owner = { emails: ['me@example.org'], homeUser: 'someone' };
  const recorded = trustSettings({ ...DEFAULTS, owner });
  expect(recorded).toMatchObject({ owner: ['emails', 'homeUser'] });
  expect(JSON.stringify(recorded)).not.toMatch(/example|someone/);
});
