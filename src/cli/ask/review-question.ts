import { DONE } from '../../actions/decide.ts';
import { type Case, isTooWeak } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { sanitize, text, Untrusted } from '../../core/text/safe-text.ts';
import type { Loaded } from '../../store/vault/loaded-memory.ts';
import type { Decision } from '../../store/vault/vault.ts';
import type { Content, Exhibit } from './sheet.ts';
import { factsOf } from './sheet-facts.ts';
import type { Choice, Question } from './witness.ts';

export type Key = 'y' | 'n' | 'p' | 'e' | 's' | 'q';

const QUESTIONS: Record<Decision, string> = {
  promote: 'Vouch for this text and make it verified:',
  reaffirm: 'Vouch for this text again:',
  restore: 'Vouch for this text and take it out of quarantine:',
  demote: 'Put this into quarantine:',
};

/** What a person is asked about one case, with everything they need for it. */
export function questionFor(session: Session, open: Case): Question<Key> {
  return {
    exhibit: exhibitOf(session, open),
    sentence: text`${sanitize(QUESTIONS[open.verb], 'line')} ${sanitize(open.id, 'line')}?`,
    choices: choicesFor(open, !isTooWeak(session)),
    otherwise: 's',
    leave: 'q',
  };
}

function choicesFor(open: Case, canStore: boolean): Choice<Key>[] {
  const { category, verb, inVain, loaded, former, correctedBy } = open;
  const no: Choice<Key> = correctedBy
    ? { key: 'n', means: 'no, keep both' }
    : category === 'requests'
      ? { key: 'n', means: 'no, refuse the request' }
      : loaded.standing.tier === 'quarantined'
        ? { key: 'n', means: 'no, it stays there' }
        : { key: 'n', means: 'no, put it into quarantine', verb: 'demote' };
  return [
    ...(inVain === undefined ? [{ key: 'y', means: 'yes', verb } as const] : []),
    no,
    ...(former === undefined ? [] : [{ key: 'p', means: 'put back the text you vouched for' } as const]),
    ...(canStore ? [{ key: 'e', means: 'say it in your own words' } as const] : []),
    { key: 's', means: 'leave it for now' },
    { key: 'q', means: 'stop here' },
  ];
}

function exhibitOf(session: Session, open: Case): Exhibit {
  const { loaded, request, against, category, verb, inVain, correctedBy, corrects } = open;
  const refused = inVain ? [{ label: 'not now', ours: `it cannot be ${DONE[verb]}: ${inVain.message}` }] : [];
  const correction = [
    ...(correctedBy ? [{ label: 'corrected', ours: `by ${correctedBy}, which you vouched for` }] : []),
    ...(corrects
      ? [{ label: 'corrects', ours: `${corrects.id}, ${corrects.standing.tier}; it is asked about after this` }]
      : []),
  ];
  const { id, standing, inspection } = loaded;
  return {
    id,
    content: contentOf(loaded, inVain === undefined && verb !== 'demote'),
    standing,
    facts: [...factsOf(session, loaded, category === 'requests' ? request : undefined), ...correction, ...refused],
    findings: inspection.findings,
    against,
  };
}

/** A possible secret is on the screen only where somebody is asked to vouch for the text that holds it. */
export function contentOf({ memory, shown, bytes }: Loaded, vouching: boolean): Content {
  if (memory === undefined) return { file: Untrusted.of(maskSecrets(bytes.toString('utf8'))) };
  return vouching || shown === memory ? { memory } : { memory, masked: shown };
}
