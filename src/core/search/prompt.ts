import { sentencesOf } from '../text/sentence-runs.ts';
import { type ParsedQuery, parseQuery } from './query.ts';

/** At most the first and the last 1,000 characters of a prompt, because what is longer is pasted and the question stands before or after it. */
const END = 1_000;
/** At most 8 sentences, the first and the last, because each costs a search. */
const MOST_SENTENCES = 8;

/**
 * Words that stand in every other prompt to a coding agent, whatever it is about. In a small store they are rare, so they would
 * find memories that have nothing to do with the prompt.
 */
const PROMPT_WORDS = new Set(
  `add added adding address again answer app apply ask asked back bad basic begin best better big branch break broken bug build
  button call called change changed changes check class clean clear clearer code command comment comments commit compare compile
  complete console context continue convert copy correct create current data date delete describe detail details diff difference
  different doc docs document done draw edit empty error errors example exist existing explain explained extract fail failed
  failing fails fast faster feature field file files find fine first fix fixed folder follow format found four function functions
  generate get give go good great handle handling happen happens hello help helper hi idea implement implementation import
  important improve include increase input inside instead issue item keep know language last later let library like line lines
  list load local log look looks loop main make makes many maybe mean meant menu merge message method minute module move name need
  needs new next nice note number object ok okay old open option order output package page part pass path people place plan please
  point possible pr press print problem project proper pull push put question questions quick read readme ready reason refactor
  release remove rename replace repo repository request resolve result return returns review right run running runs same sample
  save say says script second see send separate server set setup several short show simple single size small something sort source
  space split start started step stop string stuff style suggest sum summarize summary support sure switch table take task tell
  test tested testing tests text thank thanks thing things think third ticket time title today todo together tool top touch
  translate try turn two type types understand undo unit unused update upgrade use used user uses using value values variable
  variables version view wait want wanted way weird word words work working works write writes written wrong yes`.split(
    /\s+/,
  ),
);

/** What to look for in a prompt: its sentences as wordings, without the words of every prompt. None where nothing is left. */
export function parsePrompt(prompt: string): ParsedQuery[] {
  const ends = prompt.length <= 2 * END ? prompt : `${prompt.slice(0, END)}\n${prompt.slice(-END)}`;
  const queries = sentencesOf(ends).flatMap((sentence) => {
    const { units, words } = parseQuery(sentence);
    const telling = units.filter(({ kind, plain }) => kind !== 'word' || !PROMPT_WORDS.has(plain));
    return telling.length === 0 ? [] : [{ units: telling, words }];
  });
  const first = queries.slice(0, MOST_SENTENCES / 2);
  return [...first, ...queries.slice(first.length).slice(-MOST_SENTENCES / 2)];
}
