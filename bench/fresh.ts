import { ALPHABETS, MARKED, NAMED, UNLISTED } from './fresh-formats.ts';

/** The same numbers from the same seed, so that a figure can be had again. */
export function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0 || 1;
  return (sides) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % sides;
  };
}

/** One token of a format. */
export function draw(format: string, roll: (sides: number) => number): string {
  return format.replaceAll(/\{([A-Za-z])(\d+)(?:-(\d+))?\}/g, (_, kind: string, least: string, most = least) => {
    const alphabet = ALPHABETS[kind] ?? '';
    const length = Number(least) + roll(Number(most) - Number(least) + 1);
    return Array.from({ length }, () => alphabet[roll(alphabet.length)]).join('');
  });
}

/** How people write a token down, `¤` in its place: settings, code, commands, logs, tables, notes. */
const PLACES: readonly string[] = [
  'API_TOKEN=¤',
  'export API_TOKEN="¤"',
  "SECRET_KEY='¤'",
  'ACCESS_TOKEN: ¤',
  '  token: "¤"',
  '{"token": "¤"}',
  '{ "auth": { "apiKey": "¤" } }',
  'const apiKey = "¤";',
  "client = Client(api_key='¤')",
  'api_key := "¤"',
  'let secret = String::from("¤");',
  'String token = "¤"; // staging',
  '$config["secret"] = "¤";',
  ':token => "¤",',
  '<add key="ApiToken" value="¤" />',
  '<token>¤</token>',
  'curl -H "Authorization: Bearer ¤" https://api.corp.dev/v1/users',
  'curl https://api.corp.dev/v1/users?access_token=¤',
  'curl -H "X-Api-Key: ¤" https://api.corp.dev/v1/users',
  'tool login --token ¤',
  'tool login --token=¤ --yes',
  'docker run -e TOKEN=¤ corp/app',
  'kubectl create secret generic app --from-literal=token=¤',
  'ENV APP_TOKEN=¤',
  'set -x APP_TOKEN ¤',
  '2026-05-01T10:00:00Z INFO using token ¤ for upload',
  'DEBUG request headers: authorization=Bearer ¤',
  'The token for the staging gateway is ¤',
  'Use ¤ as the API key until Friday.',
  'My key is `¤`, do not share it.',
  'Dana gave me this token: ¤.',
  'credentials: ci / ¤',
  '| staging | ¤ | Dana |',
  '- api key: **¤**',
  '> token ¤',
  'the secret (¤) was rotated in May',
];
/** What stands around the line. */
const AROUND: readonly string[] = [
  '¤',
  'The deploy needs this:\n\n```sh\n¤\n```',
  '## Staging\n\n1. Open the settings.\n2. ¤\n3. Restart the worker.',
  'services:\n  app:\n    image: corp/app\n    environment:\n      ¤',
  'We tried it on Monday and it failed.\n¤\nAfterwards it worked.',
  '    ¤\n    DEBUG=false',
];

/** More than two hundred ways to write a token down. */
export const CONTEXTS: readonly string[] = AROUND.flatMap((around) =>
  PLACES.map((place) => around.replace('¤', () => place)),
);

/** Ways to write a token down in which nothing says what it is. */
const UNNAMED: readonly string[] = [
  'We put ¤ into the gateway on Monday and it worked.',
  'value: ¤',
  '{"a": "¤", "b": 2}',
  'connect with ¤ from the office',
  '| staging | ¤ | Dana |',
  'x = "¤"',
];

/** How a token is written beside the name of the one who gave it out. */
const NAMINGS: readonly ((name: string) => string)[] = [
  (name) => `${name.toUpperCase()}=¤`,
  (name) => `export ${name.toUpperCase()}="¤"`,
  (name) => `${name.toLowerCase()}: ¤`,
  (name) => `"${camel(name)}": "¤"`,
  (name) => `const ${camel(name)} = '¤';`,
  (name) => `the ${words(name)} is ¤`,
  (name) => `- ${words(name)}: \`¤\``,
  (name) => `| ${words(name)} | ¤ |`,
  (name) => `--${name.toLowerCase().replaceAll('_', '-')} ¤`,
  (name) => `--${name.toLowerCase().replaceAll('_', '-')}=¤`,
  (name) => `${name.toLowerCase()} = "¤"`,
  (name) => `Our ${words(name)} (¤) expires in May.`,
];

function camel(name: string): string {
  return name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function words(name: string): string {
  const text = name.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Fresh tokens of each kind, `each` times every format, written down. */
export function freshTexts(roll: (sides: number) => number, each: number): Readonly<Record<string, readonly string[]>> {
  const written = (formats: readonly string[], contexts: readonly string[]) =>
    formats.flatMap((format) =>
      Array.from({ length: each }, () =>
        (contexts[roll(contexts.length)] ?? '¤').replace('¤', () => draw(format, roll)),
      ),
    );
  return {
    'fresh tokens with a mark': written(Object.values(MARKED).flat(), CONTEXTS),
    'fresh keys beside a name': Object.entries(NAMED).flatMap(([name, format]) =>
      written(
        [format],
        NAMINGS.map((naming) => naming(name)),
      ),
    ),
    'formats nobody listed': written(UNLISTED, CONTEXTS),
    'the same, with nothing beside them': written(UNLISTED, UNNAMED),
  };
}
