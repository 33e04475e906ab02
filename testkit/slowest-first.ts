import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '..');

/** The files that take more than 20 seconds on two cores, the slowest first. Each has a process of its own (vitest.config.ts). */
export const SLOWEST = [
  'tests/page/elicitation.test.ts',
  'tests/store/vault/failing-disk.test.ts',
  'tests/store/vault/kill.test.ts',
  'tests/tools/decisions.test.ts',
  'tests/cli/every-command.test.ts',
  'tests/store/sync/kill.test.ts',
  'tests/page/overview-deciding.test.ts',
  'tests/page/passkey-story.test.ts',
  'tests/page/ends.test.ts',
  'tests/page/browser.test.ts',
  'tests/page/held/browser.test.ts',
  'tests/page/held/held.test.ts',
  'tests/resources/notifications.test.ts',
  'tests/server.test.ts',
  'tests/page/held/terminal.test.ts',
  'tests/store/sync/hostile.test.ts',
  'tests/store/vault/concurrency.test.ts',
  'tests/scenarios/model.test.ts',
  'tests/tools/adopt.test.ts',
  'tests/tools/tools.test.ts',
  'tests/scenarios/huge-ledger.test.ts',
  'tests/store/sync/displaced.test.ts',
  'tests/store/sync/place-is-no-tier.test.ts',
  'tests/scenarios/secrets-never-leak.test.ts',
  'tests/store/sync/history.test.ts',
  'tests/store/sync/attacks.test.ts',
  'tests/store/sync/converge.test.ts',
  'tests/cli/commands/list-show-search-log.test.ts',
  'tests/torture/machines.test.ts',
];

/** Starts the slowest files first: one that starts last would keep a single core busy while the other has nothing left. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = SLOWEST.filter((path) => !existsSync(resolve(ROOT, path)));
    if (gone.length > 0) throw new Error(`testkit/slowest-first.ts names files that are gone: ${gone.join(', ')}`);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = SLOWEST.indexOf(relative(ROOT, moduleId));
      return place === -1 ? SLOWEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
