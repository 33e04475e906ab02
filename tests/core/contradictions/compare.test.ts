import { describe, expect, test } from 'vitest';
import { type Contradiction, contradictionBetween, Understood } from '../../../src/core/contradictions/compare.ts';
import { isAlwaysSlowerThan } from '../../../testkit/cpu-time.ts';

type Text = readonly [name: string, body: string, project?: string | null, description?: string];

function compared(a: Text, b: Text): Contradiction | undefined {
  const read = ([name, body, project = 'acme/shop', description = 'How we do it']: Text) =>
    new Understood({ project, name, description, body });
  const [one, other] = [contradictionBetween(read(a), read(b)), contradictionBetween(read(b), read(a))];
  expect(one, 'the order of two texts decides nothing').toBe(other);
  return one;
}

describe('texts that cannot hold together', () => {
  const CASES: readonly (readonly [string, Text, Text, Contradiction])[] = [
    [
      'a word and the same word with un-',
      ['Containers of the shop', 'Containers of the shop run unprivileged.'],
      ['Rule for shop containers', 'Give every container the privileged flag.'],
      'alternative',
    ],
    [
      'another duration',
      ['Session lifetime', 'A login session lasts 30 minutes.'],
      ['How long a login session lasts', 'Login sessions end after two hours.'],
      'value',
    ],
    [
      'a number in words',
      ['Approvals', 'A merge needs two approvals.'],
      ['Merge approvals', 'One approval is enough for a merge.'],
      'value',
    ],
    [
      'another number of cores',
      ['Staging machine', 'Staging has two cores.'],
      ['Cores of staging', 'The staging machine has four cores.'],
      'value',
    ],
    [
      'another number of copies',
      ['Backups of the shop', 'We keep three copies of each backup.'],
      ['How many backups', 'Five copies of each backup of the shop are kept.'],
      'value',
    ],
    [
      'another version',
      ['Runtime of the worker', 'The worker runs on Node 20.'],
      ['Worker image', 'The worker image is `node:22-slim`.'],
      'value',
    ],
    [
      'another weekday',
      ['Release day', 'We release the shop on Tuesdays.'],
      ['When the shop is released', 'Shop releases go out every Thursday.'],
      'value',
    ],
    [
      'another version, with a number of something behind it',
      ['Build machines', 'The build runs on Node 20 and 22 workers.'],
      ['Node of the build', 'The build runs on Node 22.'],
      'value',
    ],
    [
      'an order of two words, and its ban',
      ['Indentation', 'Use tabs for indentation.'],
      ['Tabs', 'Do not use tabs for indentation.'],
      'negation',
    ],
    [
      'another weekday, which is in the name too',
      ['Deploy on Tuesdays', 'We deploy on Tuesdays.'],
      ['Deploy on Thursdays', 'We deploy on Thursdays.'],
      'value',
    ],
    [
      'the first weekday and another one',
      ['Release day', 'We release the shop on Mondays.'],
      ['When the shop is released', 'Shop releases go out every Thursday.'],
      'value',
    ],
    [
      'none of something and some of it',
      ['Retries of the worker', 'The worker makes 0 retries of a failed job.'],
      ['Worker jobs', 'A failed job gets 3 retries by the worker.'],
      'value',
    ],
    [
      'another date',
      ['Freeze of the shop', 'The shop freeze begins on 24 November.'],
      ['Shop freeze', 'The freeze begins 2026-12-10.'],
      'value',
    ],
    [
      'another path',
      ['Where migrations live', 'Migrations are in `db/migrations`.'],
      ['Location of a migration', 'Create it below `packages/schema/sql`.'],
      'value',
    ],
    [
      'another port',
      ['Dev server of the API', 'The API listens on port 4000.'],
      ['API on your machine', 'The API is at http://localhost:4100.'],
      'value',
    ],
    [
      'another identifier in the same place',
      ['Deploy tool', 'We deploy the shop with Kamal.'],
      ['Deploy tool', 'We deploy the shop with Capistrano.'],
      'value',
    ],
    [
      'an alternative',
      ['Indentation of the shop', 'Indent the shop with tabs.'],
      ['How the shop is indented', 'Spaces for indentation of the shop, as everywhere.'],
      'alternative',
    ],
    [
      'always and never',
      ['Lockfile in commits', 'Always commit pnpm-lock.yaml with package.json.'],
      ['Lockfile and commits', 'Do not commit pnpm-lock.yaml: a bot does.'],
      'negation',
    ],
    [
      'the other order',
      ['Rotation of the secret', 'Restart workers before web.'],
      ['Secret rotation', 'Restart web first, then workers.'],
      'order',
    ],
    [
      'all and a part',
      ['JSON logging', 'Every process logs JSON.'],
      ['JSON logging of the API', 'Only the API logs JSON.'],
      'extent',
    ],
    [
      'a thing, and that it was given up',
      ['Crash reports', 'Errors of the shop go to Sentry, and crash reports too.'],
      [
        'Self-hosted error tracking',
        'We replaced Sentry by something of our own, which takes the reports of the shop.',
      ],
      'alternative',
    ],
    [
      'a setting that names its unit, and a duration',
      ['Basket hold', 'A basket is held for 10 minutes.'],
      ['Hold of a basket', 'Baskets expire by `BASKET_HOLD_SECONDS=900`.'],
      'value',
    ],
    [
      'a line of cron and a time of day',
      ['Settlement export', 'The settlement export starts at 02:00.'],
      ['Time of the settlement export', 'The export of settlements has the schedule `30 4 * * *`.'],
      'value',
    ],
    [
      'a bare port',
      ['Metrics of the node exporter', 'The node exporter listens on 9102.'],
      ['Scraping', 'Prometheus finds the node exporter at `:9400` on every machine.'],
      'value',
    ],
    [
      'one word of the subject, and two beside the value',
      ['Gate of the pipeline', 'Under 80 % line coverage the build fails.'],
      ['Why codecov is green', 'Line coverage of the build may be 70 percent since the gate was lowered.'],
      'value',
    ],
    [
      'a place in another language',
      ['Wo Modelle hinkommen', 'Neue Modelle gehören nach `analytics/models`.'],
      ['Ablage der Modelle', 'Die Modelle liegen unter `warehouse/models`.'],
      'value',
    ],
    [
      'a script without spaces',
      ['网关超时', '网关调用上游服务的超时时间是3秒。'],
      ['上游调用的超时', '网关最多等待上游10秒才算超时。'],
      'value',
    ],
  ];
  test.each(CASES)('%s', (_, a, b, why) => expect(compared(a, b)).toBe(why));
});

describe('texts that hold together', () => {
  const CASES: readonly (readonly [string, Text, Text])[] = [
    [
      'paths of two things that share only the word for a place',
      ['Pipeline token', 'It is in the vault under `harbour/ci`.', null, 'Its path in the vault'],
      ['Choosing a suite', 'Run `tests/orders/suite_test.py` first.', null, 'Give the path of one module'],
    ],
    [
      'how long ago something was, and how old it may be',
      ['Audit of the vendor', 'The last audit of the vendor was completed 18 months ago.'],
      ['Audits of vendors', 'An audit of a vendor must be completed within 12 months.'],
    ],
    [
      'both of a word and the same word with un-',
      ['Tags of the shop', 'Release tags of the shop are signed, work tags are unsigned.'],
      ['Shop tags', 'The release tags of the shop are signed.'],
    ],
    [
      'something read-only, and a rule for all of its kind',
      ['Containers of the shop', 'Containers of the shop have a read-only root.'],
      ['Limits', 'Give every container of the shop a memory limit.'],
    ],
    [
      'a long text that mentions the subject of a short one among many things',
      [
        'Social media assistant',
        'You help the team to write posts. Check facts, dates, names, quotes, pictures and links. Each post has at most 280 characters. Plan a calendar, answer comments, count followers, compare campaigns, report weekly numbers, follow the brand voice, ask legal about contests, keep access lists, translate captions, archive drafts, tag products, invite guests.',
        null,
        'What the assistant of the media company does',
      ],
      [
        'Access tokens',
        'In cavy, access tokens are not logged beyond their last four characters.',
        null,
        'How many characters of access tokens are logged in cavy',
      ],
    ],
    [
      'the same closing sentence with another answer, about another question',
      [
        'Miami',
        'Question: Is Miami on the West Coast? It is in Florida. So the answer is No.',
        null,
        'A question and its answer',
      ],
      [
        'Peaches',
        'Question: Do peaches have a stone? Every peach has one. So the answer is Yes.',
        null,
        'A question and its answer',
      ],
    ],
    [
      'the same sentence with another value, which does not name what the texts share',
      ['Backups of the shop', 'Backups are kept in Frankfurt. The last word on this is from Dana.'],
      ['Reading backups', 'Reading backups takes a key. The last word on this is from Jonas.'],
    ],
    [
      'the same number in other words',
      ['Session lifetime', 'A login session lasts half an hour.'],
      ['How long a login session lasts', 'Login sessions end after 30 minutes.'],
    ],
    [
      'the same version, more precisely',
      ['TypeScript', 'The compiler is TypeScript 5.4.'],
      ['TypeScript compiler', '`"typescript": "~5.4.5"` in package.json.'],
    ],
    [
      'two projects',
      ['Dev port', 'The dev server listens on 3000.', 'acme/shop'],
      ['Dev port', 'The dev server listens on 8081.', 'acme/docs'],
    ],
    [
      'another environment',
      ['Log level in production', 'The log level is `info`.'],
      ['Log level in development', 'The log level is `debug`.'],
    ],
    [
      'names built alike around another subject',
      ['Cleaning up sessions', 'A nightly job removes sessions after 14 days.'],
      ['Cleaning up carts', 'A nightly job removes carts after 60 days.'],
    ],
    [
      'a rule for each of something, and one for a part of something else',
      ['Canary of the tracking API', 'The tracking API is the only service with a canary.'],
      ['Runbooks', 'Every service has a runbook that its alerts link to.'],
    ],
    [
      'a rule for all, and a condition in which one thing stands alone',
      ['Icon buttons', 'Every icon button has a label.'],
      ['Buttons without text', 'If a button shows only an icon, give it a label.'],
    ],
    [
      'two durations of things that share only their unit and a small word',
      ['Postmortems', 'A postmortem is written within five working days.', null, 'Within five days'],
      ['Bug bounty', 'Reports are answered within two working days.', null, 'Within two days'],
    ],
    [
      'several sizes and durations of several things',
      ['Partitions of scans', 'Scans are partitioned by week, four weeks ahead; old ones go after two years.'],
      ['Cap on queries', 'Each analyst may scan 5 TB a day, and queries of scans end after three hours.'],
    ],
    [
      'what a text about a product says not to do with it, and another thing about the product',
      ['Long queries', 'Do not run analytical queries on Cloud SQL.', null, 'Not on Cloud SQL'],
      ['Datastream', 'Datastream replicates Cloud SQL to the warehouse.'],
    ],
    [
      'a word in an address that would deny something by itself',
      ['Links into the app', 'Links `acme://stop/<id>` open the stop.'],
      ['Keys', 'Primary keys are made by `newId()` of the package @acme/stop-id.'],
    ],
    [
      'a title of two words, and a ban of what it names',
      ['Latest tag', 'Never deploy it.'],
      ['Image tags', 'Deployments name an image by its commit, not by a moving tag like latest.'],
    ],
    [
      'an end that two texts tell, one of them as a ban',
      ['Browsers', 'We dropped support for Safari 14.'],
      ['Old Safari', 'Safari 14 has no support any more, so its polyfills may go.'],
    ],
    [
      'one of several versions that are listed',
      ['Nightly build', 'The nightly runs all tests with Postgres 15 and 16.'],
      ['Postgres', 'All databases are Postgres 16.'],
    ],
    [
      'five numbers and a time of day',
      ['Votes in the sprint retro', 'In the sprint retro everybody rates the sprint 1 2 3 4 5.'],
      ['Sprint retro', 'The sprint retro starts at 14:00.'],
    ],
    [
      'a port behind the name of a program, and its version',
      ['Ports of the laptop', 'keycloak 8085, postgres 54329, redis 6379'],
      ['Postgres of the laptop', 'The laptop runs Postgres 16.'],
    ],
    [
      'the same rule, once as a ban',
      ['Secrets stay out of git', 'Never commit a credential.'],
      ['Credentials belong in the vault', 'Keep credentials in the vault, not in a repository.'],
    ],
    [
      'more detail',
      ['Search index', 'Product search runs on OpenSearch.'],
      ['Reindexing products', 'Product search is OpenSearch, index `products_v2`; keep the old one for a day.'],
    ],
    [
      'nothing in common',
      ['Diagrams', 'Draw a diagram when you explain architecture.'],
      ['Budget', 'AWS Budgets alerts above 18,000 USD.'],
    ],
    [
      'two sentences about two things',
      ['Queue of invoices', 'Invoices use the queue `billing-high`.'],
      ['Queue of newsletters', 'Newsletters use the queue `mail-low`.'],
    ],
  ];
  test.each(CASES)('%s', (_, a, b) => expect(compared(a, b)).toBeUndefined());
});

test('a clause of ten thousand words or marks is compared as quickly as other text', () => {
  const of = (body: string) => new Understood({ project: null, name: 'Installs', description: 'How to install', body });
  for (const unit of ['npm pnpm ', '<npm', 'never use npm ', '-'])
    expect(
      isAlwaysSlowerThan(1_000, () =>
        contradictionBetween(
          of(`Not ${unit.repeat(60_000 / unit.length)}x`),
          of(`Install with ${unit.repeat(1_000)} not yarn`),
        ),
      ),
    ).toBe(false);
});
