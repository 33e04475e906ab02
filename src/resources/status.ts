import type { Session } from '../actions/session.ts';
import { sanitize } from '../core/text/safe-text.ts';
import { TRUST_MODEL, VALIDATION_RULES, VERSION } from '../version.ts';
import type { Resource } from './define.ts';

export const status: Resource<{ session(): Promise<Session> }> = {
  name: 'status',
  uri: 'memory://status',
  title: 'How the store is',
  description:
    'Where the store lies, how many memories it holds by tier, ledgers in trouble and what to do, settings looser than the defaults, and versions.',
  mimeType: 'application/json',
  read: async (context) => {
    const [{ countsOf, everyMemory }, { looserThanDefaults }] = await Promise.all([
      import('../actions/report/status.ts'),
      import('../store/places/settings.ts'),
    ]);
    const { vault } = await context.session();
    const line = (ours: string) => sanitize(ours, 'line');
    const { verified, stale, inferred, quarantined } = countsOf(vault, everyMemory(vault));
    return {
      store: line(vault.places.root),
      memories: { verified, stale, inferred, quarantined },
      ledgers: vault.reports().map(({ fingerprint, own, trusted, raises, entries, trouble, advice }) => ({
        fingerprint: line(fingerprint),
        own,
        trusted,
        counts: raises,
        entries,
        trouble: trouble === undefined ? null : line(trouble),
        advice: advice === '' ? null : line(advice),
      })),
      looserThanDefaults: looserThanDefaults(vault.settings).map(line),
      versions: {
        surety: line(VERSION),
        trustModel: line(TRUST_MODEL),
        validationRules: line(VALIDATION_RULES),
        checks: line(vault.rules),
      },
    };
  },
};
