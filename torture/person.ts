import { request } from 'node:http';
import type { SoftwareAuthenticator } from '../testkit/authenticator.ts';
import type { Text } from './checker/file.ts';
import type { Journal, Pending } from './journal.ts';

/** How the person of a run answers; only `yes` may change anything. */
export type Mood = 'yes' | 'no' | 'cancel' | 'nonsense';

/** Who answers: what they do is written down, and on the page they sign with their passkey. */
export interface Person {
  readonly journal: Journal;
  readonly passkey?: SoftwareAuthenticator | undefined;
}

interface Question {
  readonly message?: string | undefined;
  readonly mode?: string | undefined;
  readonly url?: string | undefined;
  readonly requestedSchema?: unknown;
}

interface Answer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string>;
  [more: string]: unknown;
}

/** The memory that a yes quarantines, as a dialog, a page and a terminal name it; undefined where a yes is about one memory. */
export function rivalIn(screen: string): string | undefined {
  return /(?:^contradicts: +|take this one, and quarantine )((?:user|reference)_\w+)/m.exec(screen)?.[1];
}

/** The mood in which the person answers: nobody says yes to what somebody else is deciding on. */
function moodBefore(screen: string, asked: Pending, mood: Mood, { journal }: Person): Mood {
  const rival = mood === 'yes' ? rivalIn(screen) : undefined;
  return rival === undefined || journal.takesPlaceOf(asked, rival) ? mood : 'nonsense';
}

/** Plays the person whom an elicitation reaches, in the client's dialog or on the page, and writes down every yes. */
export async function answer(question: Question, asked: Pending, mood: Mood, person: Person): Promise<Answer> {
  const { journal } = person;
  if (mood === 'cancel') return { action: 'cancel' };
  if (question.mode === 'url') {
    // Not waited for: the client says that the person went there, and the page says what they did.
    void visit(question.url ?? '', () => ({ asked, mood }), person).catch(() => undefined);
    return { action: 'accept' };
  }
  const { properties } = question.requestedSchema as { properties: { answer: { enum: string[] } } };
  const [no = '', yes = ''] = properties.answer.enum;
  const now = moodBefore(question.message ?? '', asked, mood, person);
  if (now === 'yes') journal.yes(asked);
  if (now === 'no') journal.no(asked);
  return { action: 'accept', content: { answer: { yes, no, nonsense: `${yes}!`, cancel: '' }[now] } };
}

/** A decision that a person is asked for, and how they answer. */
export interface Asked {
  readonly asked: Pending;
  readonly mood: Mood;
}

/**
 * Follows the link, and presses a key on the first sheet; every other adoption is given other words first. A question about
 * two memories names neither, so `about` says by the sheet what is asked.
 */
export async function visit(link: string, about: (sheet: string) => Asked | undefined, person: Person): Promise<void> {
  const { journal, passkey } = person;
  const { origin, pathname, port, host } = new URL(link);
  const base = pathname.slice(0, pathname.indexOf('open/'));
  const { cookie } = await send({ port, path: pathname, headers: { host } });
  const headers = { host, cookie, origin, 'content-type': 'application/x-www-form-urlencoded' };
  const sheet = async (name = '') => {
    const { text } = await send({ port, path: `${base}${name}`, headers: { host, cookie } });
    return { text, token: /name="token" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '' };
  };
  const press = async ({ text, token }: Sheet, key: string, fields: Record<string, string> = {}) => {
    const challenge = new RegExp(`value="${key}"[^>]*data-challenge="([\\w-]+)"`).exec(text)?.[1];
    const signature = challenge === undefined ? undefined : passkey?.sign(challenge, '');
    const body = new URLSearchParams({ token, key, ...signature, ...fields }).toString();
    await send({ port, path: `${base}answer`, method: 'POST', headers }, body);
  };
  const first = await sheet();
  const question = about(first.text);
  if (question === undefined) return press(first, 'q');
  const { asked, mood } = question;
  const text = journal.acknowledged.get(asked.id);
  if (mood === 'yes' && asked.verb === 'adopt' && text !== undefined && text.body.length % 2 === 0) {
    const { type, name, description, body } = text;
    const own: Text = { type, name, description, body: `${body.trim()} These are my own words.` };
    await press(first, 'e');
    await press(await sheet('edit'), 'y', { name, description, body: own.body });
    const draft = await sheet('draft');
    journal.yesInOtherWords(asked, own);
    await press(draft, 'y');
  } else {
    const now = moodBefore(first.text, asked, mood, person);
    if (now === 'yes') journal.yes(asked);
    if (now === 'no') journal.no(asked);
    const yes = asked.verb === 'adopt' ? 'a' : 'y';
    await press(first, { yes, no: 'n', cancel: 'q', nonsense: 'q' }[now]);
  }
  await send({ port, path: base, headers: { host, cookie } });
}

interface Sheet {
  readonly text: string;
  readonly token: string;
}

/** By hand: a fetch says of itself that it is no navigation, and is turned away. */
function send(
  options: { port: string; path: string; method?: string; headers?: Record<string, string> },
  body = '',
): Promise<{ cookie: string; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', agent: false, ...options }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      reply.on('end', () => resolve({ cookie: reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '', text }));
      reply.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
