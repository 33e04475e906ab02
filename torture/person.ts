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
  readonly mode?: string | undefined;
  readonly url?: string | undefined;
  readonly requestedSchema?: unknown;
}

interface Answer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string>;
  [more: string]: unknown;
}

/** Plays the person whom an elicitation reaches, in the client's dialog or on the page, and writes down every yes. */
export async function answer(question: Question, asked: Pending, mood: Mood, person: Person): Promise<Answer> {
  const { journal } = person;
  if (mood === 'cancel') return { action: 'cancel' };
  if (question.mode === 'url') {
    // Not waited for: the client says that the person went there, and the page says what they did.
    void visit(question.url ?? '', asked, mood, person).catch(() => undefined);
    return { action: 'accept' };
  }
  const { properties } = question.requestedSchema as { properties: { answer: { enum: string[] } } };
  const [no = '', yes = ''] = properties.answer.enum;
  if (mood === 'yes') journal.yes(asked);
  if (mood === 'no') journal.no(asked);
  return { action: 'accept', content: { answer: { yes, no, nonsense: `${yes}!` }[mood] } };
}

/** Follows the link, and presses a key on the first sheet; every other adoption is given other words first. */
async function visit(link: string, asked: Pending, mood: Mood, { journal, passkey }: Person): Promise<void> {
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
    if (mood === 'yes') journal.yes(asked);
    if (mood === 'no') journal.no(asked);
    const yes = asked.verb === 'adopt' ? 'a' : 'y';
    await press(first, { yes, no: 'n', cancel: 'q', nonsense: 'q' }[mood]);
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
