import { once } from '../once.ts';
import { NUMBER, numberOf } from './numbers.ts';

/** Something a text states that another text can state otherwise, such as a duration or the version of a program. */
export interface StatedValue {
  /** Values of the same kind are comparable: `duration`, `percent`, `version of node`. */
  readonly kind: string;
  readonly value: string;
}

/** Unit → its dimension and how much of it one is. */
const UNITS: ReadonlyMap<string, readonly [dimension: string, factor: number]> = new Map(
  Object.entries({
    duration: {
      0.001: 'ms millisecond milliseconds millis',
      1: 's sec secs second seconds 秒 秒钟 sekunde sekunden segundo segundos seconde secondes 초',
      60: 'min mins minute minutes 分 分钟 分鐘 minuten minuto minutos 분',
      3600: 'h hr hrs hour hours 小时 時間 stunde stunden hora horas heure heures 시간',
      86400: 'd day days 天 日 日間 tag tage tagen día días jour jours 일',
      604800: 'week weeks 周 週間 woche wochen semana semanas semaine semaines',
      2592000: 'month months 个月 ヶ月 か月 monat monate monaten mes meses mois',
      31536000: 'year years 年 jahr jahre jahren año años ans',
    },
    size: {
      1: 'byte bytes',
      1000: 'kb kib kilobytes',
      1e6: 'mb mib megabytes',
      1e9: 'gb gib gigabytes',
      1e12: 'tb tib',
    },
    percent: { 1: '% percent prozent パーセント' },
    pixels: { 1: 'px pixel pixels' },
    money: { 1: 'usd eur gbp chf dollars euros € $' },
    length: { 1: 'characters chars zeichen caracteres 文字 字 个字符' },
    columns: { 1: 'columns column cols spalten' },
    indent: { 1: 'spaces leerzeichen espacios' },
    approvals: { 1: 'approvals approval reviewers reviewer reviews approvers freigabe freigaben' },
    attempts: { 1: 'retries retry attempts attempt tries times' },
    requests: { 1: 'requests req rps calls' },
    rows: { 1: 'rows records items entries' },
    connections: { 1: 'connections connection' },
    replicas: { 1: 'replicas instances nodes pods workers shards partitions' },
    cores: { 1: 'cores core cpus vcpus kerne kernen núcleos cœurs' },
    threads: { 1: 'threads thread' },
    copies: { 1: 'copies copy backups kopien copias' },
    people: { 1: 'people persons engineers developers' },
    lines: { 1: 'lines line zeilen líneas' },
    fragment: { 1: 'percentile' },
  }).flatMap(([dimension, factors]) =>
    Object.entries(factors).flatMap(([factor, names]) =>
      names.split(' ').map((name) => [name, [dimension, Number(factor)] as const] as const),
    ),
  ),
);
export const UNIT_NAMES: readonly string[] = [...UNITS.keys()];
const units = once(() =>
  UNIT_NAMES.toSorted((a, b) => b.length - a.length)
    .map((name) => name.replace('$', String.raw`\$`) + (/^[a-záéíóúñ]+$/.test(name) ? String.raw`(?![\p{L}])` : ''))
    .join('|'),
);
// Made at first use, because it takes 10 ms and most commands compare nothing.
const quantity = once(
  () =>
    new RegExp(
      String.raw`(?<![A-Za-z\d.:/_-])(?:(${NUMBER})[\s-]{0,2}(?:[\p{L}-]{1,20}\s)??|(an?)\s)(${units()})`,
      'giu',
    ),
);
/** `HOLD_TTL_SECONDS=900` */
const NAMED_AFTER_UNIT = /_(ms|seconds|minutes|hours|days|bytes|kb|mb|gb|percent)`?\s?[:=]\s?['"`]?(\d{1,9})\b/gi;
const AGO = /^\s(?:ago|earlier)\b/i;
const MONEY = /[$€£]\s?(\d[\d,.]*k?)/giu;

const MONTHS = [
  'january jan januar enero janvier',
  'february feb februar febrero février',
  'march mar märz marzo mars',
  'april apr abril avril',
  'may mai mayo',
  'june jun juni junio juin',
  'july jul juli julio juillet',
  'august aug agosto août',
  'september sep sept septiembre septembre',
  'october oct oktober octubre octobre',
  'november nov noviembre novembre',
  'december dec dezember diciembre décembre',
].map((names) => names.split(' '));
const MONTH = MONTHS.flat()
  .sort((a, b) => b.length - a.length)
  .join('|');
const DAY_MONTH = new RegExp(
  String.raw`\b(\d{1,2})(?:st|nd|rd|th|\.)?(?:\s*[–-]\s*(\d{1,2}))?\s+(?:of\s+|de\s+)?(${MONTH})\b`,
  'giu',
);
const MONTH_DAY = new RegExp(String.raw`\b(${MONTH})\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!\d)`, 'giu');
const ISO_DATE = /\b(\d{4})-(\d{2})-(\d{2})\b/g;
export const WEEKDAYS: readonly (readonly string[])[] = [
  'monday mondays montag montags lunes lundi 月曜 周一 星期一',
  'tuesday tuesdays dienstag dienstags martes mardi 火曜 周二 星期二',
  'wednesday wednesdays mittwoch mittwochs miércoles mercredi 水曜 周三 星期三',
  'thursday thursdays donnerstag donnerstags jueves jeudi 木曜 周四 星期四',
  'friday fridays freitag freitags viernes vendredi 金曜 周五 星期五',
  'saturday saturdays samstag samstags sábado samedi 土曜 周六 星期六',
  'sunday sundays sonntag sonntags domingo dimanche 日曜 周日 星期日',
].map((names) => names.split(' '));
const WEEKDAY = new RegExp(
  `(?<!\\p{L})(?:${WEEKDAYS.flat()
    .filter((name) => /^\p{Script=Latin}/u.test(name))
    .join('|')})(?!\\p{L})|${WEEKDAYS.flat()
    .filter((name) => !/^\p{Script=Latin}/u.test(name))
    .join('|')}`,
  'giu',
);
const CLOCK = /(?<![\d.:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])|\b(1[0-2]|[1-9])\s?(am|pm)\b/gi;
/** `30 4 * * *`; `1 2 3 4 5` are five numbers. */
const CRON =
  /(?<![\d*])(?=[\d ]{0,12}\*)([0-5]?\d) (1?\d|2[0-3]) (?:\*|\d{1,2}) (?:\*|\d{1,2}) (?:\*|[0-7](?:-[0-7])?)(?![\d*])/g;
const CADENCE =
  /\b(hourly|daily|nightly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually|every (?:hour|day|night|week|month|quarter|year|sprint))\b/gi;
const PORT =
  /(?:\bport\s+|localhost:|127\.0\.0\.1:|0\.0\.0\.0:|\blistens? on\s+|\bpuerto\s+|(?<=[\s`("]|^):(?=\d{4}))`?(\d{2,5})\b(?!:)/gi;
const REGION = /\b(?:af|ap|ca|eu|me|sa|us)-(?:central|(?:north|south)?(?:east|west)|north|south)-?\d\b/gi;
const CHANNEL = /(?<![\w&])#[a-z][\w-]+/gi;
const ASSIGNED =
  /(?<![\w.-])((?:[A-Za-z0-9]{1,30}[_.-]){1,8}[A-Za-z0-9]{1,30}|[a-z]{1,30}[A-Z]\w{0,30})`?\s?[:=]\s?['"`]?([\w.-]+)/g;
const PATH =
  /(?<![\w.@*<>{}:$/-])(?:[a-z][a-z0-9+]{1,9}:\/\/?)?(?:[.~]{0,2}\/)?(?:[\w.@*<>{}:$-]{1,60}\/)+[\w.@*<>{},-]{0,60}|(?<![\w/])\.[a-z][\w.-]{1,60}|\b[\w-]{1,60}\.(?:sh|ts|js|json|ya?ml|toml|md|py|go|rs|sql|css|env|lock|txt|xml|ini|conf)\b/gi;

/** Programs whose major version is written as a plain number; a number with a dot is a version after any word. */
const PROGRAMS: ReadonlySet<string> = new Set(
  `node nodejs npm pnpm yarn bun deno python ruby rails java jdk kotlin swift xcode ios android go golang rust php laravel
  django flask react vue angular svelte next nextjs nuxt typescript postgres postgresql mysql mariadb redis mongodb sqlite
  elasticsearch opensearch kafka kubernetes eks helm docker terraform ubuntu debian alpine chrome firefox safari vite webpack
  jest vitest eslint prettier biome fastify express pino tailwind storybook graphql php dotnet spring gradle maven electron`.split(
    /\s+/,
  ),
);
const ALIASES: Readonly<Record<string, string>> = {
  postgresql: 'postgres',
  nodejs: 'node',
  'node.js': 'node',
  golang: 'go',
  nextjs: 'next',
  'next.js': 'next',
  eks: 'kubernetes',
  jdk: 'java',
  ts: 'typescript',
};
const VERSION =
  /(?<![A-Za-z.+#])([A-Za-z][A-Za-z.+#]{0,30}[A-Za-z+#]|[A-Za-z])["'`]?\s?(?:version\s+|v|@|:\s?)?["'`]?\s?[~^>=]{0,2}\s?v?(\d{1,3}(?:\.\d+){0,2})(?![\d:]|\s?(?:%|[a-z]?b\b|days?|seconds?|minutes?|hours?))/gi;

const ONE_MORE = /(?:,|,?\s(?:and|or|und|oder|y|et))\s(\d{1,3}(?:\.\d+){0,2})(?![\d:.])/iy;
const MOST_LISTED = 8;
const unitFirst = once(() => new RegExp(String.raw`^[\s-]?(?:${units()})`, 'iu'));
const LONGEST_UNIT = 20;

/** The rest of “Node 20, 22 and 24”, but not of “Node 20 and 22 workers”. */
function versionsAfter(text: string, end: number): string[] {
  const found: string[] = [];
  for (ONE_MORE.lastIndex = end; found.length < MOST_LISTED; ) {
    const [, version] = ONE_MORE.exec(text) ?? [];
    const behind = text.slice(ONE_MORE.lastIndex, ONE_MORE.lastIndex + LONGEST_UNIT);
    if (version === undefined || unitFirst().test(behind)) break;
    found.push(version);
  }
  return found;
}

export function isProgram(name: string): boolean {
  return PROGRAMS.has(name.toLowerCase());
}

/** 30 days are a month, 1 GiB is 1 GB: written otherwise is not said otherwise. */
const MEASURES: ReadonlySet<string> = new Set(['duration', 'size']);
const ROUNDING = 0.1;

type Add = (kind: string, value: string | number) => void;

/** What is looked for together. A text is searched only for the sorts that the text it is compared with has. */
const SORTS = {
  date: (text: string, add: Add) => {
    for (const [, y = '', m, d] of text.matchAll(ISO_DATE)) {
      add('date', `${Number(m)}-${Number(d)}`);
      add('year', y);
    }
    const bare = text.replace(ISO_DATE, ' ');
    for (const [, from = '', to, month = ''] of bare.matchAll(DAY_MONTH)) {
      add('date', `${monthOf(month)}-${from}`);
      if (to !== undefined) add('date', `${monthOf(month)}-${to}`);
    }
    for (const [, month = '', day] of bare.matchAll(MONTH_DAY)) add('date', `${monthOf(month)}-${day}`);
  },
  weekday: (text: string, add: Add) => {
    for (const [name] of text.matchAll(WEEKDAY)) {
      add(
        'weekday',
        WEEKDAYS.findIndex((names) => names.includes(name.toLowerCase())),
      );
    }
  },
  clock: (text: string, add: Add) => {
    for (const [, hour, minute, twelve, half] of text.matchAll(CLOCK)) {
      const at12 = (Number(twelve) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
      add('clock', twelve === undefined ? `${Number(hour)}:${minute}` : `${at12}:00`);
    }
    for (const [, minute = '', hour] of text.matchAll(CRON)) add('clock', `${Number(hour)}:${minute.padStart(2, '0')}`);
  },
  cadence: (text: string, add: Add) => {
    for (const [, often = ''] of text.matchAll(CADENCE)) add('cadence', cadenceOf(often.toLowerCase()));
  },
  quantity: (text: string, add: Add) => {
    for (const { 0: whole, 1: number, 2: article, 3: unit = '', index } of text.matchAll(quantity())) {
      // “18 months ago” is when something was, and not how long it takes.
      if (AGO.test(text.slice(index + whole.length))) continue;
      const [dimension = '', factor = 1] = UNITS.get(unit.toLowerCase()) ?? [];
      const value = number === undefined ? 1 : numberOf(number);
      if (value !== undefined && (dimension === 'duration' || article === undefined)) add(dimension, value * factor);
    }
    for (const [, unit = '', number = ''] of text.matchAll(NAMED_AFTER_UNIT)) {
      const [dimension = '', factor = 1] = UNITS.get(unit.toLowerCase()) ?? [];
      add(dimension, Number(number) * factor);
    }
    for (const [, number = ''] of text.matchAll(MONEY)) add('money', numberOf(number.replace(/[.,]$/, '')) ?? number);
  },
  port: (text: string, add: Add) => {
    for (const [, port = ''] of text.matchAll(PORT)) add('port', port);
  },
  region: (text: string, add: Add) => {
    for (const [region] of text.matchAll(REGION)) add('region', region.toLowerCase());
  },
  channel: (text: string, add: Add) => {
    for (const [channel] of text.matchAll(CHANNEL)) add('channel', channel.toLowerCase());
  },
  path: (text: string, add: Add) => {
    for (const [path] of text.matchAll(PATH)) if (!/^\d/.test(path)) add('path', path.replace(/^\.\/|[./]+$/g, ''));
  },
  assigned: (text: string, add: Add) => {
    for (const [, key = '', value = ''] of text.matchAll(ASSIGNED)) {
      add(`value of ${key.toLowerCase()}`, value.replace(/[.-]+$/, '').toLowerCase());
    }
  },
  version: (text: string, add: Add) => {
    for (const { 0: whole, 1: word = '', 2: version = '', index } of text.matchAll(VERSION)) {
      const name = word.toLowerCase();
      if (!PROGRAMS.has(name) && !version.includes('.')) continue;
      for (const each of [version, ...versionsAfter(text, index + whole.length)])
        add(`version of ${ALIASES[name] ?? name}`, each);
    }
  },
};
export type Sort = keyof typeof SORTS;
export const ALL_SORTS = Object.keys(SORTS) as Sort[];

/** The values of one sort. A date is not read as a quantity or a version too. */
export function valuesIn(text: string, sort: Sort): StatedValue[] {
  const found: StatedValue[] = [];
  const plain = inPlainNumbers(text);
  const searched = sort === 'date' ? plain : plain.replace(ISO_DATE, ' ');
  SORTS[sort](searched, (kind, value) => found.push({ kind, value: String(value) }));
  return found;
}

/** Whether two values of one kind can be meant as the same: `5.4` and `5.4.5`, `src/hooks` and `src/hooks/run.ts`. */
export function agree(kind: string, one: string, other: string): boolean {
  if (one === other) return true;
  if (kind.startsWith('version of ')) return `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);
  if (MEASURES.has(kind))
    return Math.abs(Number(one) - Number(other)) <= ROUNDING * Math.max(Number(one), Number(other));
  if (kind === 'path') return isWithin(one, other) || isWithin(other, one);
  return false;
}

/** Half an hour as 30 minutes, a duration in two units as one, noon and midnight as a time. */
function inPlainNumbers(text: string): string {
  return text
    .replace(/\bhalf an hour\b/gi, '30 minutes')
    .replace(/\b(?:an hour and a half|one and a half hours)\b/gi, '90 minutes')
    .replace(/\bhalf a day\b/gi, '12 hours')
    .replace(
      /\b(\d+)\s?h(?:ours?)?\s(?:and\s)?(\d+)\s?min(?:utes)?\b/gi,
      (_, h, m) => `${Number(h) * 60 + Number(m)} minutes`,
    )
    .replace(/\bnoon\b/gi, '12:00')
    .replace(/\bmidnight\b/gi, '0:00');
}

/** Whether a path ends with another one, or lies below it. */
function isWithin(path: string, part: string): boolean {
  return `/${path}`.endsWith(`/${part}`) || `${path}/`.startsWith(`${part}/`);
}

function monthOf(name: string): number {
  return 1 + MONTHS.findIndex((names) => names.includes(name.toLowerCase()));
}

const CADENCES: Readonly<Record<string, string>> = {
  hourly: 'hour',
  daily: 'day',
  nightly: 'day',
  night: 'day',
  weekly: 'week',
  biweekly: 'two weeks',
  fortnightly: 'two weeks',
  monthly: 'month',
  quarterly: 'quarter',
  yearly: 'year',
  annually: 'year',
};

function cadenceOf(word: string): string {
  const plain = word.replace('every ', '');
  return CADENCES[plain] ?? plain;
}
