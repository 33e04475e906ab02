import { type Clause, isLeaving, isNegative, isOver } from './clauses.ts';

/**
 * Words that exclude each other when one thing is said of one subject: a text says one, another text says another. The words of a
 * line are alternatives; a vertical bar separates them, and a comma separates words for the same one.
 */
const LINES = `
always|never
allowed, permitted, may|forbidden, prohibited
required, mandatory, must|optional
enable, enabled, turned on, switched on|disable, disabled, turned off, switched off
include, included, including|exclude, excluded, excluding
tabs|spaces
single quotes|double quotes
named exports, named export|default exports, default export
camelcase|snake_case, snake case|kebab-case, kebab case|pascalcase
singular|plural
automatic, automatically|manual, manually, by hand
public|private
synchronous, synchronously|asynchronous, asynchronously
optimistic, optimistically|pessimistic, pessimistically, for update
soft delete, soft-delete, deleted_at|hard delete, physically deleted
rebase, rebasing|merge commit, merge commits, merge main
squash, squashed, squashing|merge commit, merge commits|rebase merge, fast-forward
npm|pnpm|yarn|bun
prettier|biome|dprint
jest|vitest|mocha|ava|jasmine
playwright|cypress|selenium|puppeteer
webpack|vite|rollup|parcel|esbuild|turbopack
tailwind|css modules|styled-components, styled components|emotion|sass, scss
redux|zustand|mobx|jotai|recoil
postgres, postgresql|mysql|mariadb|sqlite|mongodb, mongo|dynamodb|oracle|sql server|cockroachdb|duckdb
redis|memcached|valkey
kafka|rabbitmq|sqs|nats|pubsub, pub/sub
rest|graphql|grpc|trpc
json|yaml|toml|xml|csv|plain text, plaintext
protobuf|avro|msgpack
utf-8|utf-16|iso-8859-1, latin-1, latin1|iso-8859-15|windows-1252|shift_jis, shift-jis
uuid, uuids, uuidv4, uuidv7|bigint, bigserial, serial, auto-increment, autoincrement|ulid|cuid|nanoid|snowflake
bcrypt|argon2, argon2id|scrypt|pbkdf2
cents, minor units|decimal, numeric, major units|floats, floating point
postmark|ses|sendgrid|mailgun|mailchimp|resend|sparkpost
sentry|bugsnag|rollbar|honeybadger
datadog|grafana|new relic|honeycomb|splunk|kibana
terraform|pulumi|cloudformation|cdk|ansible|opentofu
github actions|gitlab ci|jenkins|circleci|buildkite|travis|teamcity|drone
docker compose, docker-compose|kubernetes|nomad|ecs|swarm
helm|kustomize
aws|gcp, google cloud|azure|hetzner|digitalocean
s3|gcs|azure blob
cloudflare|fastly|cloudfront|akamai
vercel|netlify|heroku|fly.io|render.com
vault|1password|doppler|secrets manager|parameter store|sops
stripe|adyen|braintree|paypal|mollie|klarna
auth0|okta|keycloak|cognito|clerk
launchdarkly|unleash|flagsmith|split.io|growthbook
jira|linear|asana|trello|shortcut
confluence|notion|google docs
slack|teams|discord|mattermost
eslint|oxlint|tslint
black|ruff|yapf|autopep8
poetry|pipenv|uv|pip-tools|conda
pytest|unittest|nose
mypy|pyright|pytype
gradle|maven|bazel
junit|testng
prisma|drizzle|typeorm|sequelize|knex|kysely|mikro-orm
zod|yup|joi|valibot|ajv
moment|date-fns|dayjs, day.js|luxon
axios|fetch|got|undici|ky
express|fastify|koa|hono|nestjs
react|vue|svelte|angular|solidjs
next.js, nextjs|remix|nuxt|astro|gatsby
winston|pino|bunyan|log4j|logback
flyway|liquibase|alembic|goose
swiftui|uikit
kotlin|java
spm, swift package manager|cocoapods|carthage
cookie, cookies|localstorage, local storage|sessionstorage
jwt, jwts|opaque token, opaque tokens|server-side session, server-side sessions
throw, throws, throwing, exceptions|return result, returns result, return results, return a result, returns a result, result type
early return, early returns, return early, guard clauses|single exit, one exit, exactly one return, one return
monorepo|polyrepo, multirepo, separate repositories
main|master|develop|trunk
semver, semantic versioning|calver, calendar versioning
conventional commits|gitmoji
mocks, mock, mocked|real database, real service, real thing
utc|local time, local timezone
british english|american english
formal|informal, casual
metric|imperial
light mode|dark mode
vim, neovim|emacs|vs code, vscode|intellij
bash|zsh|fish|powershell
true|false
fail open, fails open, open|fail closed, fails closed
by feature, by domain|by layer, by type, technical layer
short, brief, terse, concise|long, detailed, generously, verbose
ascending|descending
before|after
`;

/** One side of a line, as `line side`. */
interface Alternative {
  readonly group: number;
  readonly side: number;
}

const PHRASES = new Map<string, Alternative[]>();
let longestPhrase = 1;
for (const [group, line] of LINES.trim().split('\n').entries()) {
  for (const [side, words] of line.split('|').entries()) {
    for (const phrase of words.split(',').map((word) => word.trim())) {
      PHRASES.set(phrase, [...(PHRASES.get(phrase) ?? []), { group, side }]);
      longestPhrase = Math.max(longestPhrase, phrase.split(' ').length);
    }
  }
}

/** Of each line that a text has words of: some of its sides. */
type Sides = ReadonlyMap<number, ReadonlySet<number>>;

/** Which sides a text speaks for, and which it says were given up. A side that is only denied is neither. */
export interface Choices {
  readonly made: Sides;
  readonly givenUp: Sides;
}

export function choicesIn(clauses: readonly Clause[]): Choices {
  const [made, givenUp] = [new Map<number, Set<number>>(), new Map<number, Set<number>>()];
  for (const { text, negative } of clauses) {
    const words = text.toLowerCase().split(WORD_END).filter(Boolean);
    for (let at = 0; at < words.length; at++) {
      for (let size = 1; size <= longestPhrase; size++) {
        for (const { group, side } of PHRASES.get(words.slice(at, at + size).join(' ')) ?? []) {
          const isOut = negative && isDenied(words, at, size);
          if (isOut && !wasGivenUp(words, at, size)) continue;
          const sides = isOut ? givenUp : made;
          sides.set(group, (sides.get(group) ?? new Set()).add(side));
        }
      }
    }
  }
  return { made, givenUp };
}

/** A run of marks is looked at from its beginning only, because it may be as long as the text. */
const WORD_END = /[^\p{L}\p{N}_./'’-]+|(?<![.'’/-])[.'’/-]+(?=\s|$)|(?<=\s)[./'’-]+(?=\s)/u;

/** At most 40 words on each side can deny one, because a text without a full stop would be read again for each of its words. */
const FARTHEST = 40;
/** “We replaced Sentry by …”: at most 4 words away, because the verb may be about another thing of the sentence. */
const NEAR = 4;

function isDenied(words: readonly string[], at: number, size: number): boolean {
  const [before, after] = [words.slice(Math.max(0, at - FARTHEST), at), words.slice(at + size, at + size + FARTHEST)];
  return isNegative(before.join(' ')) || isOver(after.join(' '));
}

function wasGivenUp(words: readonly string[], at: number, size: number): boolean {
  const [before, after] = [words.slice(Math.max(0, at - NEAR), at), words.slice(at + size, at + size + NEAR)];
  return isLeaving(before.join(' ')) || isOver(after.join(' '));
}

/** Whether each text speaks for another side, or one says that what the other one speaks for was given up. */
export function choicesDiffer(a: Choices, b: Choices): boolean {
  const isElsewhere = [...a.made].some(([group, sides]) => b.made.get(group)?.isDisjointFrom(sides) ?? false);
  return isElsewhere || gaveUp(a, b) || gaveUp(b, a);
}

function gaveUp({ made, givenUp }: Choices, other: Choices): boolean {
  return [...givenUp].some(([group, sides]) => {
    const theirs = other.made.get(group);
    return theirs?.isSubsetOf(sides) && theirs.isDisjointFrom(made.get(group) ?? new Set());
  });
}
