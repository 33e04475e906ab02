/** What a shell command could name: words without quotes and with braces expanded, whole and in parts. */
export interface ShellWords {
  /** The whole command without quotes and escapes. */
  readonly flat: string;
  readonly words: readonly string[];
}

/** Longer commands are cut: no shell accepts an argument of 200,000 characters. */
const LONGEST = 200_000;
const MOST_WORDS = 50_000;
const MOST_SPREAD = 64;

/**
 * Parses a command roughly and prefers too many words: quoted text may itself be a command, so quotes join words and never
 * hide them. What a command computes while it runs is not seen.
 */
export function shellWords(
  command: string,
  variables: Readonly<Record<string, string | undefined>>,
  separator: '/' | '\\',
): ShellWords {
  const plain = command
    .slice(0, LONGEST)
    .replaceAll(/\\\r?\n/g, '')
    .replaceAll('\\', separator === '\\' ? '/' : '')
    .replaceAll(/["']/g, '');
  const flat = plain
    .replaceAll(/\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}/g, (whole, name, braced) => variables[name ?? braced] ?? whole)
    .replaceAll(/\$\{([A-Za-z_]\w*):?-([^{}]*)\}/g, (_, name, otherwise) => variables[name] || otherwise)
    .replaceAll('\\', '/');
  const words = new Set<string>();
  for (const word of flat.split(/[\s;|&<>()`]+/)) {
    for (const one of spread(word)) {
      for (const part of [one, ...one.split(/[=,:[\]]/)]) {
        if (words.size >= MOST_WORDS) return { flat, words: [...words] };
        if (part !== '') words.add(part);
      }
    }
  }
  return { flat, words: [...words] };
}

/** a{b,c}d → abd, acd, for a few braces. */
function spread(word: string): string[] {
  let made = [word];
  for (let round = 0; round < 4; round++) {
    made = made.flatMap((each) => {
      const brace = /\{([^{}]*,[^{}]*)\}/.exec(each);
      if (brace === null) return [each];
      const [whole, inner = ''] = brace;
      return inner.split(',').map((one) => each.slice(0, brace.index) + one + each.slice(brace.index + whole.length));
    });
    if (made.length > MOST_SPREAD) return [word];
  }
  return made;
}

/** Ends one command and begins another. */
const END = ';';
const ASKS_FOR_HELP = new Set(['--help', '-h']);

/**
 * Whether the words run this program with one of these subcommands, however it is started: npx, node, script, a pty. A
 * request for help next to the subcommand runs nothing.
 */
export function runsSubcommand(
  { flat }: ShellWords,
  isProgram: (word: string, before: () => readonly string[]) => boolean,
  subcommands: ReadonlySet<string>,
): boolean {
  const words = flat
    .replaceAll(/[;|&\n]+/g, ` ${END} `)
    .split(/[\s<>()`[\]{},]+/)
    .filter((word) => word !== '');
  return [...beforeSubcommand(words, subcommands)].some((at) => isProgram(words[at] ?? '', () => words.slice(0, at)));
}

/**
 * The words that such a subcommand follows. Options may precede it; only --root takes a value. A script may break its line there.
 * From the end, because a command of options alone would be gone through once for each of them.
 */
function* beforeSubcommand(words: readonly string[], subcommands: ReadonlySet<string>): Generator<number> {
  /** Whether a subcommand begins at this word, behind options or not. */
  const begins: boolean[] = [];
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at] ?? '';
    if (begins[at + 1]) yield at;
    if (word.startsWith('-') || word === END)
      begins[at] = !ASKS_FOR_HELP.has(word) && begins[at + (word === '--root' ? 2 : 1)] === true;
    else begins[at] = subcommands.has(word) && !ASKS_FOR_HELP.has(words[at + 1] ?? '');
  }
}

const SEARCHES = /^(?:[\w./-]*\/)?(?:[efz]?grep|rg|ag|ack|git\s+grep)\s/;
/** Options by which a search starts another program. */
const SEARCH_RUNS = /\s(?:--pre|--pager|--open-files|-O)|\$\(|`|[<>]\(/;
/** Programs that run the text they receive. */
const RUNS_TEXT =
  /^(?:\w+=\S*\s+|(?:sudo|env|command|exec|nohup|time)\s+)*(?:[\w./-]*\/)?(?:\w*sh|xargs|parallel|python\d*|node|bun|deno|perl|ruby|php|eval|source|script|expect|tee|\.)(?:\s|$)/;

/** Removes the parts of a command that only search for a text: a searched text is not run. */
export function withoutSearches(command: string): string {
  const parts = partsOf(command.slice(0, LONGEST));
  if (parts.some((part) => RUNS_TEXT.test(part))) return command;
  return parts.filter((part) => !SEARCHES.test(part) || SEARCH_RUNS.test(part)).join('\n');
}

/** Split as the shell does, outside of quotes. */
function partsOf(command: string): string[] {
  const parts: string[] = [];
  for (const [part] of command.matchAll(/(?:\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|[^;|&\n\\])+/g))
    parts.push(part.trim());
  return parts;
}

/**
 * Whether a path with wildcards can match something in or below a folder; both with slashes and in lower case. As in a
 * shell, a wildcard does not match the dot that begins a name.
 */
export function globReaches(pattern: string, folder: string): boolean {
  const wanted = pattern.split('/').filter((part, i, all) => part !== '' && !(part === '**' && all[i - 1] === '**'));
  const there = folder.split('/').filter((part) => part !== '');
  const reaches = (p: number, f: number): boolean => {
    const [part, name] = [wanted[p], there[f]];
    if (name === undefined) return true;
    if (part === undefined) return false;
    if (part === '**') return reaches(p + 1, f) || (!name.startsWith('.') && reaches(p, f + 1));
    return fits(part, name) && reaches(p + 1, f + 1);
  };
  return reaches(0, 0);
}

/** At most 6 wildcards in a name, because more could take forever to match; a name with more counts as a match. */
const MOST_WILDCARDS = 6;

function fits(part: string, name: string): boolean {
  if (name.startsWith('.') && /^[*?[]/.test(part)) return false;
  const stars = part.replaceAll(/\*+/g, '*');
  if (stars.split('*').length > MOST_WILDCARDS) return true;
  const source = stars
    .replaceAll(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
    .replaceAll('[!', '[^');
  try {
    return new RegExp(`^${source}$`).test(name);
  } catch {
    // An unclosed bracket: the shell takes it literally, and none of our folders has one.
    return false;
  }
}
