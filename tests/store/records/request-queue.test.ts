import * as fs from 'node:fs';
import * as os from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/core/memory/memory.ts';
import { Refusal } from '../../../src/core/refusal.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { MOST_REQUESTS, type Request, Requests } from '../../../src/store/records/request-queue.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(os.tmpdir(), 'surety-'));
  file = join(folder, 'state', 'requests.jsonl');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const open = () => new Requests(file, new Disk(), sha256);
function request(id: string, more: Partial<Request> = {}): Request {
  return {
    id,
    verb: 'promote',
    digest: 'ab'.repeat(32),
    askedAt: '2026-11-15T10:20:30Z',
    client: { name: 'claude-code', version: '2.1.0' },
    ...more,
  };
}
const waiting = () => open().list().requests;
function refusal(act: () => void): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return (error as Refusal).code;
  }
  return expect.fail('nothing was refused');
}

describe('the queue', () => {
  test('is empty when nobody asked', () => {
    expect(open().list()).toEqual({ requests: [], unreadable: 0 });
    expect(open().settle('user_a')).toBe(false);
    expect(fs.existsSync(file)).toBe(false);
  });

  test('keeps what was asked, oldest first, for the next process', () => {
    const asked = [
      request('user_a'),
      request('project_b', { verb: 'demote', reason: 'it says “outdated”\nby itself' }),
      request('reference_c', { verb: 'restore', digest: null }),
      request('feedback_d', { verb: 'reaffirm', askedAt: '2026-11-15T10:20:30.123Z' }),
    ];
    for (const one of asked) open().add(one);
    expect(open().list()).toEqual({ requests: asked, unreadable: 0 });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('holds one request per memory: a newer one takes the place of the older', () => {
    open().add(request('user_a'));
    open().add(request('user_b'));
    const newer = request('user_a', { verb: 'demote', digest: 'cd'.repeat(32) });
    open().add(newer);
    expect(waiting()).toEqual([request('user_b'), newer]);
  });

  test.each(['promote', 'adopt', 'reaffirm'] as const)(
    'a demote that waits is not replaced by a later request to %s',
    (verb) => {
      const lowering = request('user_a', { verb: 'demote', reason: 'staging has four cores' });
      open().add(lowering);
      expect(refusal(() => open().add(request('user_a', { verb })))).toBe('demote-waits');
      expect(waiting()).toEqual([lowering]);
      // About another text, or about a memory that is in quarantine by now, it says nothing.
      const changed = request('user_a', { verb, digest: 'cd'.repeat(32) });
      open().add(changed);
      expect(waiting()).toEqual([changed]);
      open().add(lowering);
      open().add(request('user_a', { verb: 'restore' }));
      expect(waiting()).toEqual([request('user_a', { verb: 'restore' })]);
    },
  );

  test('forgets a request once it is settled, and only that one', () => {
    open().add(request('user_a'));
    open().add(request('user_b'));
    expect(open().settle('user_a')).toBe(true);
    expect(waiting()).toEqual([request('user_b')]);
    expect(open().settle('user_a')).toBe(false);
    expect(open().settle('user_b')).toBe(true);
    expect(waiting()).toEqual([]);
  });

  test('takes at most 100 requests, and a full one still takes a newer request for a memory in it', () => {
    for (let n = 0; n < MOST_REQUESTS; n++) open().add(request(`user_${n}`));
    const before = fs.readFileSync(file);
    expect(refusal(() => open().add(request('user_one_too_many')))).toBe('queue-full');
    expect(fs.readFileSync(file)).toEqual(before);
    open().add(request('user_7', { verb: 'demote' }));
    expect(waiting()).toHaveLength(100);
    open().settle('user_3');
    open().add(request('user_one_too_many'));
    expect(waiting()).toHaveLength(100);
  });

  test('full of the longest requests there can be is still read whole', () => {
    const long = {
      client: { name: '\u0001'.repeat(200), version: '\u0001'.repeat(200) },
      reason: '\u0001'.repeat(1000),
    };
    for (let n = 0; n < MOST_REQUESTS; n++) open().add(request(`user_${n}${'x'.repeat(110)}`, long));
    expect(open().list()).toMatchObject({ unreadable: 0, requests: { length: 100 } });
  });
});

describe('lines that are no request', () => {
  const good = JSON.stringify(request('user_good'));
  const variant = (more: object) => JSON.stringify({ ...request('user_bad'), ...more });
  const bad: [string, string][] = [
    ['half a line', good.slice(0, 40)],
    ['not an object', '[]'],
    ['null', 'null'],
    ['an id that is a path', variant({ id: '../../etc/passwd' })],
    ['an unknown verb', variant({ verb: 'erase' })],
    ['a verb from the prototype', variant({ verb: 'constructor' })],
    ['a digest that is none', variant({ digest: 'abc' })],
    ['no digest', variant({ digest: undefined })],
    ['a time that is none', variant({ askedAt: '2026-13-45T99:00:00Z' })],
    ['no client', variant({ client: 'me' })],
    ['an endless reason', variant({ reason: 'x'.repeat(1001) })],
    ['invisible control characters', '\u0000\u0001'],
  ];
  test.each(bad)('%s: skipped and counted, the others stay', (_label, line) => {
    fs.mkdirSync(join(folder, 'state'));
    fs.writeFileSync(file, `${line}\n${good}\n\n`);
    expect(open().list()).toEqual({ requests: [request('user_good')], unreadable: 1 });
  });

  test('are gone after the next change, and what was added counts', () => {
    fs.mkdirSync(join(folder, 'state'));
    fs.writeFileSync(file, `{"id":\n${good}`);
    open().add(request('user_a'));
    expect(open().list()).toEqual({ requests: [request('user_good'), request('user_a')], unreadable: 0 });
  });

  test('two lines for one memory count once, the later one', () => {
    fs.mkdirSync(join(folder, 'state'));
    fs.writeFileSync(file, `${good}\n${JSON.stringify(request('user_good', { verb: 'demote' }))}\n`);
    expect(waiting()).toEqual([request('user_good', { verb: 'demote' })]);
  });

  test('more on a line than a request has is not passed on', () => {
    fs.mkdirSync(join(folder, 'state'));
    fs.writeFileSync(file, `${variant({ confirmed: true, client: { name: 'a', version: 'b', actor: 'user' } })}\n`);
    expect(waiting()).toEqual([request('user_bad', { client: { name: 'a', version: 'b' } })]);
  });
});

test('a link in place of the queue is not followed, and gives way to the next request', () => {
  fs.mkdirSync(join(folder, 'state'));
  fs.writeFileSync(join(folder, 'elsewhere'), `${JSON.stringify(request('user_planted'))}\n`);
  const planted = fs.readFileSync(join(folder, 'elsewhere'));
  fs.symlinkSync(join(folder, 'elsewhere'), file);
  expect(open().list()).toEqual({ requests: [], unreadable: 1 });
  open().add(request('user_a'));
  expect(waiting()).toEqual([request('user_a')]);
  expect(fs.readFileSync(join(folder, 'elsewhere'))).toEqual(planted);
});

test('a request that could not be read back is refused, and a client’s endless name is shortened', () => {
  expect(refusal(() => open().add(request('MEMORY')))).toBe('invalid-input');
  expect(refusal(() => open().add(request('user_a', { reason: 'x'.repeat(1001) })))).toBe('invalid-input');
  expect(fs.existsSync(file)).toBe(false);
  open().add(request('user_a', { client: { name: 'n'.repeat(5000), version: '1' } }));
  expect(waiting()[0]?.client).toEqual({ name: `${'n'.repeat(199)}…`, version: '1' });
});

test('a write that fails leaves the queue as it was', () => {
  open().add(request('user_a'));
  class Full extends Disk {
    protected override rename(): void {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    }
  }
  expect(() => new Requests(file, new Full(), sha256).add(request('user_b'))).toThrow('full');
  expect(waiting()).toEqual([request('user_a')]);
  expect(fs.readdirSync(join(folder, 'state'))).toEqual(['requests.jsonl']);
});
