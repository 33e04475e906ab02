import { pick } from '../testkit/seeded.ts';
import type { Text } from './checker/file.ts';

const WORDS = 'branch cache deploy index merge package query release schema server test window'.split(' ');
const LONG = 'It was decided after a long talk, and the reasons are worth keeping for whoever asks again. '.repeat(4);

/**
 * A text with this word in it; every third does not fit a dialog. Every fifth names the port of one of two things: those
 * contradict each other, and a person's yes is then about two memories.
 */
export function textWith(mark: string, port: number, chance: () => number): Text {
  const contradicts = chance() < 0.2;
  const [one, other] = [pick(contradicts ? WORDS.slice(0, 2) : WORDS, chance), pick(WORDS, chance)];
  const body = contradicts
    ? `The ${one} listens on port ${port}.\nThis is one word (${mark}).`
    : `Keep the ${one} beside the ${other} (${mark}).`;
  return {
    type: pick(['user', 'reference'], chance),
    name: `The ${one} and the ${other}`,
    description: `About the ${one}`,
    body: chance() < 0.33 ? `${body}\n${LONG.trim()}` : body,
    ...(chance() < 0.3 && { tags: [one, 'torture'] }),
  };
}
