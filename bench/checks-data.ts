import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface SecretRow {
  readonly rule: string;
  readonly text: string;
  readonly secret: boolean;
  readonly source: string;
}

export interface InjectionRow {
  readonly source: string;
  readonly text: string;
  readonly injection: boolean;
  readonly category: string;
}

/** The rows of `name` in `folder`, compressed or plain; undefined when there is no such file. */
export function rowsOf<Row>(folder: string, name: string): readonly Row[] | undefined {
  const plain = join(folder, `${name}.jsonl`);
  const packed = `${plain}.gz`;
  if (!existsSync(plain) && !existsSync(packed)) return undefined;
  const text = existsSync(plain) ? readFileSync(plain, 'utf8') : gunzipSync(readFileSync(packed)).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** Half-matches that begin again and again, to fill a memory of the largest size with. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'one letter': 'a',
  'open keys': '-----BEGIN RSA PRIVATE KEY-----\n',
  'labels without end': 'password is token=key:',
  'labels and words': 'secret Zm9vYmFyYmF6cXV4 ',
  'user parts': '://a:',
  'provider names': 'sumo-',
  'provider names and equals': 'datadog_token = twitter = discord = "',
  'marks in the middle': '-prd-_',
  'random words': 'q7Xv2Kz9Wp4Lr8Tn3Mb6 ',
  'base64 runs': `${Buffer.from('plain text that is long enough to decode').toString('base64')} `,
  'percent signs': '%41%42%43',
  'overrides without object': 'ignore all previous ',
  'zero-width': 'a\u200B',
};
