import type { Severity, Span } from '../finding.ts';
import { matchesOf } from '../text/matches-of.ts';
import type { Check } from './inspect.ts';
import { lineAt, plainPassagesOf, spanOf } from './passages.ts';
import { NUMBER_RULES } from './personal-numbers.ts';
import { fileWith } from './sample-file.ts';

/** The owner of the store, as set by the operator. */
export interface OwnerIdentity {
  readonly emails: readonly string[];
  readonly githubHandle?: string;
  readonly homeUser?: string;
}

interface PersonalRule {
  readonly rule: string;
  /** Only numbers with which money or an identity is taken hold a memory; the default is a warning. */
  readonly severity?: Severity;
  readonly message: string;
  /** The stretches of a folded text that may be another person's data. */
  places(text: string): Iterable<Span>;
}

/** Other people's addresses, home folders and numbers, and addresses in private networks: worth a look before storing or pushing. */
export function personalCheck(owner: OwnerIdentity): Check {
  const rules: PersonalRule[] = [PRIVATE_IP, ...NUMBER_RULES];
  if (owner.emails.length > 0) rules.push(foreignEmail(owner));
  if (namesOf(owner).length > 0) rules.push(foreignHome(owner));
  const active = rules.map(({ rule }) => rule);
  return {
    name: 'personal',
    get evidence() {
      return evidence().filter(({ rule }) => active.some((name) => name === rule));
    },
    *run(subject) {
      for (const passage of plainPassagesOf(subject)) {
        for (const { rule, severity = 'warn', message, places } of rules) {
          const lines = new Set<number>();
          for (const [start, end] of places(passage.folded.text)) {
            const first = passage.folded.from(start);
            const line = lineAt(passage, first);
            const place = { line, ...spanOf(passage, first, passage.folded.from(end)) };
            if (!lines.has(line)) {
              yield { class: 'personal', rule, severity, field: passage.field, ...place, message };
            }
            if (lines.add(line).size === MOST_PER_FIELD) break;
          }
        }
      }
    },
  };
}

/** What is not looked for, because a setting is missing. Shown wherever a person decides; not a finding about a memory. */
export function notLookedFor(owner: OwnerIdentity): readonly string[] {
  return [
    ...(owner.emails.length > 0
      ? []
      : ['e-mail addresses of other people, because owner.emails in config.json is not set.']),
    ...(namesOf(owner).length > 0
      ? []
      : ['home folders of other people, because owner.homeUser in config.json is not set.']),
  ];
}

/** At most 5 a field, because more of one kind say nothing new. */
const MOST_PER_FIELD = 5;

const EMAIL =
  /(?<![A-Za-z0-9._%+-])([A-Za-z0-9._%+-]{1,64})@((?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24})(?![A-Za-z0-9-])/g;
const RESERVED_DOMAIN = /(?:^|\.)(?:example\.(?:com|org|net)|example|test|invalid|localhost)$/;
const NO_PERSON = /^(?:no-?reply|do-?not-?reply|git|hg|svn|username|user|you|your[._-]?name|name)$/;

function foreignEmail(owner: OwnerIdentity): PersonalRule {
  const own = new Set(owner.emails.map((email) => email.toLowerCase()));
  const handle = owner.githubHandle?.toLowerCase();
  // If the owner's own address is at a documentation domain, other addresses there are real too.
  const real = new Set([...own].map((email) => email.slice(email.indexOf('@') + 1)));
  const isForeign = (local: string, domain: string) => {
    if (own.has(`${local}@${domain}`) || NO_PERSON.test(local)) return false;
    if (domain === 'users.noreply.github.com') return local.replace(/^[0-9]{1,20}\+/, '') !== handle;
    return real.has(domain) || !RESERVED_DOMAIN.test(domain);
  };
  return {
    rule: 'foreign-email',
    message: 'An e-mail address that is not one of yours. Leave it out unless the memory is about it.',
    *places(text) {
      if (!text.includes('@')) return;
      for (const { 0: address, 1: local = '', 2: domain = '', index } of text.matchAll(EMAIL)) {
        // The part between a colon and an @ in a URL is a password, which the secrets check judges.
        const inUrl = /:\/\/[^\s/@]{0,80}:$/.test(text.slice(Math.max(0, index - 90), index));
        if (!inUrl && isForeign(local.toLowerCase(), domain.toLowerCase())) yield [index, index + address.length];
      }
    },
  };
}

/** Not after a letter, digit or point: `v10.0.5.2` and `110.0.5.2` are not private addresses. */
const PRIVATE =
  /(?<![A-Za-z0-9.])(?:10\.[0-9]{1,3}|192\.168|172\.(?:1[6-9]|2[0-9]|3[01]))\.[0-9]{1,3}\.[0-9]{1,3}(?!\.?[0-9])/g;
/** The blocks themselves, as every manual names them. */
const BLOCK = /^(?:10\.0\.0\.0\/8|172\.16\.0\.0\/12|192\.168\.0\.0\/16)(?![0-9])/;

const PRIVATE_IP: PersonalRule = {
  rule: 'private-ip',
  message: 'The address of a machine inside a private network. Leave it out, or use the machine’s name.',
  *places(text) {
    for (const { 0: address, index } of matchesOf(text, PRIVATE)) {
      const fits = address.split('.').every((part) => Number(part) <= 255);
      if (fits && !BLOCK.test(text.slice(index, index + 20))) yield [index, index + address.length];
    }
  },
};

const HOME =
  /(?<![\w.~}-])(?:[A-Za-z]:[\\/]{1,4}[Uu]sers[\\/]{1,4}|\/(?:Users|home)\/|\\{1,4}Users\\{1,4})(?=[^\s\\/])/g;
const FOLDER = /^[^\s\\/:*?"'`<>|,;()[\]{}&=]{1,64}/;
/** People in manuals, and accounts of images and services. */
const NOBODY = new Set(
  `app bar circleci codespace default ec2-user example foo git guest jovyan linuxbrew me myuser name node public root
   runner shared someone ubuntu user username users vagrant vscode xxx you your-name your-user your-username your_name
   your_username youruser yourname yourusername`.split(/\s+/),
);

function namesOf(owner: OwnerIdentity): readonly string[] {
  return [owner.homeUser, owner.githubHandle].filter((name) => name !== undefined).map((name) => name.toLowerCase());
}

function foreignHome(owner: OwnerIdentity): PersonalRule {
  const own = namesOf(owner);
  return {
    rule: 'foreign-home',
    message: 'A home folder that is not yours. Write the path from ~ or from the project instead.',
    *places(text) {
      for (const { 0: start, index } of text.matchAll(HOME)) {
        const rest = text.slice(index + start.length, index + start.length + 80).toLowerCase();
        const name = (FOLDER.exec(rest)?.[0] ?? '').replace(/[.!?…]+$/, '');
        // A Windows name may contain spaces, so the owner's name is compared as a prefix.
        const isOwn = own.some((mine) => rest.startsWith(mine) && !/^[\w-]|^\.\w/.test(rest.slice(mine.length)));
        if (name !== '' && !isOwn && !NOBODY.has(name) && !/^[$%<{~*]|^\.+$/.test(name))
          yield [index, index + start.length + name.length];
      }
    },
  };
}

/** Valid for any owner except one called Stranger. */
function evidence() {
  const body = (line: string) => fileWith({}, `A line of text before the one that matters.\n${line}`);
  return [
    {
      rule: 'foreign-email',
      catches: ['ask mrs.stranger@elsewhere.dev', '17+stranger@users.noreply.github.com'].map(body),
      allows: ['git@github.com:foo/bar.git', 'someone@mail.example.org', 'noreply@github.com', 'npm i pkg@1.2.3'].map(
        body,
      ),
    },
    {
      rule: 'private-ip',
      catches: ['the host is 10.0.5.42', 'http://192.168.1.7:8080/', '172.16.0.1'].map(body),
      allows: ['110.0.5.2', 'v10.0.5.2', '172.15.0.1 and 172.32.0.1', '192.0.2.1', '10.0.0.0/8', '127.0.0.1'].map(body),
    },
    {
      rule: 'foreign-home',
      catches: ['/Users/stranger', '/home/mrs.stranger/x', 'C:\\Users\\stranger\\x'].map(body),
      allows: ['/home/user/x', '/Users/<name>/x', 'https://site.dev/home/about', '/home/$USER/x'].map(body),
    },
    ...NUMBER_RULES.map(({ rule, catches, allows }) => ({
      rule,
      catches: catches.map(body),
      allows: allows.map(body),
    })),
  ];
}
