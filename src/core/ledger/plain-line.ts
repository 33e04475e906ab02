import type { Assertion } from '../passkeys/assertion.ts';
import { parseTimestamp } from '../trust/clocks.ts';
import { TIERS, type Tier } from '../trust/tiers.ts';
import type { Entry } from './entry.ts';

const TIME = String.raw`"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"`;
/** Characters that JSON writes as they are. Surrogates are left out, because JSON writes a lone one in another way. */
const CHARACTERS = String.raw`[^"\\\u0000-\u001f\ud800-\udfff]*`;
const TEXT = `"(${CHARACTERS})"`;
const TEXT_OR_NULL = `(?:null|${TEXT})`;
const HASH = '"[0-9a-f]{64}"';
const HASH_OR_NULL = '(?:null|"([0-9a-f]{64})")';
const TIER_OR_NULL = `(?:null|"(${TIERS.join('|')})")`;
const BASE64URL = '"([A-Za-z0-9_-]*)"';
const listOf = (item: string) => String.raw`\[((?:${item}(?:,${item})*)?)\]`;

const BEGINS = new RegExp(String.raw`\{"v":2,"seq":(0|[1-9]\d{0,14}),"at":${TIME},"clock":${TIME}`, 'y');
const ASSERTION = `,"assertion":\\{"credential":${BASE64URL},"authenticatorData":${BASE64URL},"clientDataJSON":${BASE64URL},"signature":${BASE64URL},"nonce":${BASE64URL}\\}`;
const ENDS = new RegExp(
  [
    `,"action":${TEXT},"id":${TEXT},"from":${TIER_OR_NULL},"to":${TIER_OR_NULL},"digest":${HASH_OR_NULL}`,
    `,"saying":${HASH_OR_NULL}(?:,"was":"([0-9a-f]{64})")?,"reason":${TEXT_OR_NULL},"settled":${listOf(`"${CHARACTERS}"`)}`,
    `,"replaces":${TEXT_OR_NULL}(?:${ASSERTION})?,"after":${listOf(HASH)},"prev":${HASH_OR_NULL},"sig":${BASE64URL}\\}$`,
  ].join(''),
  'y',
);

/** The part of a line between its times and its action. Many lines in a row share one. */
type Middle = Required<Pick<Entry, 'machine' | 'store' | 'by' | 'settings' | 'rules'>>;
type LineStart = Required<Pick<Entry, 'seq' | 'at' | 'clock'>>;
type SignedEntry = Entry & { readonly sig: string };

interface KnownMiddle {
  readonly text: string;
  readonly value: Middle;
}

/** At most 16 middles: each writer has one for every setting in force. */
const MOST_MIDDLES = 16;

/**
 * Reads lines that are in the form in which most are written, several times faster than parsing JSON and writing it again.
 * Nothing is taken on trust: the form allows each value to be written in one way only, so a line of this form parses to
 * exactly what is returned, and would be written as exactly this line. Of any other line it says nothing.
 */
export class PlainLines {
  readonly #middles: KnownMiddle[] = [];

  /** The entry in a line of that form; undefined for any other line, which may still be an entry. */
  read(line: string): SignedEntry | undefined {
    BEGINS.lastIndex = 0;
    const begun = BEGINS.exec(line);
    if (begun === null) return undefined;
    const at = begun[2] as string;
    const clock = begun[3] as string;
    if (!isTime(at) || !isTime(clock)) return undefined;
    const start = BEGINS.lastIndex;
    const middle = this.#middleAt(line, start);
    if (middle === undefined) return undefined;
    ENDS.lastIndex = start + middle.text.length;
    const found = ENDS.exec(line);
    if (found === null) return undefined;
    return lineOf({ seq: Number(begun[1]), at, clock }, middle.value, found);
  }

  #middleAt(line: string, start: number): KnownMiddle | undefined {
    for (const middle of this.#middles) if (line.startsWith(middle.text, start)) return middle;
    return undefined;
  }

  /**
   * Remembers the middle of an entry that was parsed as JSON, so that lines like it can be read faster. Version 1 need not
   * name a store, which version 2 must.
   */
  learn({ v, machine, store, by, settings, rules }: Entry): void {
    if (v !== 2) return;
    const value = { machine, store: store as string, by, settings, rules };
    const text = `,${JSON.stringify(value).slice(1, -1)}`;
    if (this.#middles.some((known) => known.text === text)) return;
    if (this.#middles.length === MOST_MIDDLES) this.#middles.pop();
    this.#middles.unshift({ text, value });
  }
}

function isTime(text: string): boolean {
  return parseTimestamp(text) !== undefined;
}

/** The usual lines are written out, because an object that is put together from others takes several times as long. */
function lineOf(
  { seq, at, clock }: LineStart,
  { machine, store, by, settings, rules }: Middle,
  found: RegExpExecArray,
): SignedEntry {
  const action = found[1] as Entry['action'];
  const id = found[2] as string;
  const from = (found[3] as Tier | undefined) ?? null;
  const to = (found[4] as Tier | undefined) ?? null;
  const digest = found[5] ?? null;
  const saying = found[6] ?? null;
  const was = found[7];
  const reason = found[8] ?? null;
  const settled = textsIn(found[9]);
  const replaces = found[10] ?? null;
  const assertion = assertionIn(found);
  const after = textsIn(found[16]);
  const prev = found[17] ?? null;
  const sig = found[18] as string;
  const v = 2;
  // biome-ignore format: in the order of a line
  const line: SignedEntry = assertion === undefined
    ? { v, seq, at, clock, machine, store, by, settings, rules, action, id, from, to, digest, saying, reason, settled, replaces, after, prev, sig }
    : { v, seq, at, clock, machine, store, by, settings, rules, action, id, from, to, digest, saying, reason, settled, replaces, assertion, after, prev, sig };
  return was === undefined ? line : { ...line, was };
}

function assertionIn(found: RegExpExecArray): Assertion | undefined {
  const credential = found[11];
  if (credential === undefined) return undefined;
  return {
    credential,
    authenticatorData: found[12] as string,
    clientDataJSON: found[13] as string,
    signature: found[14] as string,
    nonce: found[15] as string,
  };
}

/** The texts of a list that is written without spaces, and whose texts have no quotes. */
function textsIn(list: string | undefined): string[] {
  return list ? list.slice(1, -1).split('","') : [];
}
