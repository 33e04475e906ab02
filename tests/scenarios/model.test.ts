import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BEGINNING, type Event, events, Simulation } from '../../testkit/model.ts';

/** `SURETY_MODEL_RUNS=2000 npx vitest run tests/scenarios/model.test.ts` for a long night, with another `FAST_CHECK_SEED` each. */
const RUNS = Number(process.env.SURETY_MODEL_RUNS ?? 60);

const reached = new Map<string, number>();

async function live(history: readonly Event[]): Promise<void> {
  const simulation = await Simulation.open();
  try {
    for (const event of [...BEGINNING, ...history]) await simulation.run(event);
    // Whatever one process still remembers, the next one knows only what is written.
    for (const on of [0, 1] as const) await simulation.run({ kind: 'restart', on });
    for (const on of [0, 1] as const) await simulation.run({ kind: 'reconcile', on });
    for (const [what, times] of simulation.reached) reached.set(what, (reached.get(what) ?? 0) + times);
  } finally {
    simulation.close();
  }
}

test('whatever happens to two machines: nothing is verified without a yes for exactly it, no quarantine ends without one, no word is lost', async () => {
  await fc.assert(fc.asyncProperty(fc.array(events, { maxLength: 48, size: 'max' }), live), {
    numRuns: RUNS,
    // Mostly for shrinking a failure; each try is a whole history on a real disk.
    interruptAfterTimeLimit: RUNS <= 60 ? 240_000 : 3_600_000,
  });
}, 3_600_000);

test('and those histories reached what they are about', async () => {
  const all = [
    'verified:vouched',
    'inferred:changed',
    'inferred:unproven',
    'quarantined:decided',
    'quarantined:same-text',
    'proposed',
    'added',
    'promote',
    'adopt',
    'reworded',
    'declined',
    'demote',
    'restore',
    'reaffirm',
    'trusted',
    'void yes',
    'notice quarantined',
    'refused: was-quarantined',
    'refused: ledger-trouble',
    'refused: changed-meanwhile',
    'refused: consent-mismatch',
  ];
  const missed = () => all.filter((what) => !reached.has(what));
  // Sixty histories drawn at random seldom lack one of these; more are drawn then.
  for (const history of fc.sample(fc.array(events, { maxLength: 48, size: 'max' }), 60)) {
    if (missed().length === 0) break;
    await live(history);
  }
  expect(missed()).toEqual([]);
}, 600_000);
