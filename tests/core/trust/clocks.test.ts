import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dateOf,
  isStale,
  observationEnds,
  observationOver,
  parseDate,
  parseTimestamp,
  retention,
  timestamp,
  wholeDays,
} from '../../../src/core/trust/clocks.ts';

const DAY = 86_400_000;
const at = (text: string) => Date.parse(text);
const NOON = at('2026-03-01T12:00:00Z');
/** Any second of the four-digit years. */
const seconds = fc.integer({ min: at('0001-01-01T00:00:00Z') / 1000, max: at('9999-12-31T23:59:59Z') / 1000 });
const times = seconds.map((s) => s * 1000);

describe('whole UTC days', () => {
  test('a day begins at midnight UTC, whatever the hour', () => {
    expect(wholeDays(at('2026-03-01T23:59:59Z'), at('2026-03-02T00:00:00Z'))).toBe(1);
    expect(wholeDays(at('2026-03-01T00:00:00Z'), at('2026-03-01T23:59:59.999Z'))).toBe(0);
    expect(wholeDays(at('2026-03-02T00:00:00Z'), at('2026-03-01T23:59:59Z'))).toBe(-1);
    expect(wholeDays(at('2024-02-28T12:00:00Z'), at('2024-03-01T12:00:00Z'))).toBe(2);
    expect(wholeDays(at('1969-12-31T23:59:59Z'), at('1970-01-01T00:00:00Z'))).toBe(1);
  });

  test('add up', () => {
    fc.assert(
      fc.property(times, times, times, (a, b, c) => {
        expect(wholeDays(a, b) + wholeDays(b, c)).toBe(wholeDays(a, c));
      }),
    );
  });

  test('are equal in every time zone', () => {
    const before = process.env.TZ;
    const days = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Berlin'].map((zone) => {
      process.env.TZ = zone;
      return [wholeDays(at('2026-03-28T23:30:00Z'), at('2026-03-29T02:30:00Z')), dateOf(NOON), timestamp(NOON)];
    });
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
    for (const each of days) expect(each).toEqual([1, '2026-03-01', '2026-03-01T12:00:00Z']);
  });
});

describe('observation', () => {
  test.each([
    [0, false],
    [6, false],
    [7, true],
    [8, true],
    [-1, false],
    [-400, false],
  ])('after %i days is over: %s', (days, over) => {
    expect(observationOver(NOON, NOON + days * DAY, 7)).toBe(over);
  });

  test('ends at midnight UTC of the seventh day, not at the hour', () => {
    expect(observationOver(NOON, at('2026-03-07T23:59:59Z'), 7)).toBe(false);
    expect(observationOver(NOON, at('2026-03-08T00:00:00Z'), 7)).toBe(true);
  });

  test('of a text that nobody has seen, or only in the future, is never over', () => {
    expect(observationOver(undefined, NOON, 0)).toBe(false);
    expect(observationOver(NOON + 1000, NOON, 0)).toBe(false);
    expect(observationOver(NOON, NOON, 0)).toBe(true);
  });

  test('ends at the first moment at which it is over', () => {
    expect(observationEnds(NOON, 7)).toBe(at('2026-03-08T00:00:00Z'));
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 60 }), (seen, days) => {
        const end = observationEnds(seen, days);
        expect([observationOver(seen, end - 1, days), observationOver(seen, end, days)]).toEqual([false, true]);
      }),
    );
  });
});

describe('staleness (H1)', () => {
  test.each([
    [0, false],
    [89, false],
    [90, false],
    [91, true],
    [4000, true],
  ])('%i days after the receipt: stale %s', (days, stale) => {
    expect(isStale(NOON, NOON + days * DAY, 90)).toBe(stale);
  });

  test('a receipt from the future is stale, by a second or a year', () => {
    expect(isStale(NOON + 1000, NOON, 90)).toBe(true);
    expect(isStale(NOON + 365 * DAY, NOON, 90)).toBe(true);
    expect(isStale(NOON, NOON, 90)).toBe(false);
  });
});

test.each([
  [0, 'passive'],
  [30, 'passive'],
  [31, 'reported'],
  [90, 'reported'],
  [91, 'archive-candidate'],
  [4000, 'archive-candidate'],
  [-5, 'passive'],
])('a memory quarantined for %i days is %s', (days, window) => {
  expect(retention(NOON, NOON + days * DAY)).toBe(window);
});

describe('times in files', () => {
  test.each([
    '2026-02-31T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00.000Z',
    '2026-01-01t00:00:00z',
    '2026-01-01 00:00:00Z',
    '2026-1-1T0:0:0Z',
    '+02026-01-01T00:00:00Z',
    '+012026-01-01T00:00Z',
    // Date.parse reads both: the year may have six digits, and nothing behind a NUL is looked at.
    '+002026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\0',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '２０２６-01-01T00:00:00Z',
    '2026-01-01',
    'yesterday',
    '',
  ])('%j is not a time', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  test.each(['2024-02-29T23:59:59Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'])(
    '%s is a time',
    (text) => {
      expect(parseTimestamp(text)).toBe(Date.parse(text));
    },
  );

  test('are written and read alike', () => {
    fc.assert(fc.property(times, (time) => parseTimestamp(timestamp(time)) === time));
  });

  test('are rounded down to seconds, so that no entry is dated after it was made', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 999 }), (time, ms) => {
        expect(timestamp(time + ms)).toBe(timestamp(time));
      }),
    );
  });

  test('a date is read as its midnight, and nothing else is a date', () => {
    expect(parseDate('2026-03-01')).toBe(at('2026-03-01T00:00:00Z'));
    for (const text of ['2026-02-30', '2026-3-1', '2026-03-01T00:00:00Z', 'never', '', '2026-03-01 ']) {
      expect(parseDate(text)).toBeUndefined();
    }
    fc.assert(fc.property(times, (time) => wholeDays(parseDate(dateOf(time)) ?? 0, time) === 0));
  });
});
