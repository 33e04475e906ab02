/** What a shell command could name: words without quotes, braces spread out, in parts as well as whole. */
export interface ShellWords {
  /** The command as one text, quotes and escapes taken out. */
  readonly flat: string;
  readonly words: readonly string[];
}

/** Longer ones are cut: no shell takes an argument of this length. */
const LONGEST = 200_000;
const MOST_WORDS = 2_000;
const MOST_SPREAD = 64;

/**
 * Reads a command roughly and errs towards more words: what stands in quotes may be a command itself, so quotes join and
 * never hide. It is not a shell: what a command computes while it runs is not seen.
 */
export function shellWords(
  command: string,
  variables: Readonly<Record<string, string | undefined>>,
  separator: '/' | '\\' = '/',
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

/** a{b,c}d → abd, acd; as many as a few braces make. */
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
 * Whether the words run this program with one of these subcommands, whatever starts it: npx, node, script, a pty. Asking
 * for help right before or behind the subcommand runs nothing.
 */
export function runsSubcommand(
  { flat }: ShellWords,
  isProgram: (word: string, before: readonly string[]) => boolean,
  subcommands: ReadonlySet<string>,
): boolean {
  const words = flat
    .replaceAll(/[;|&\n]+/g, ` ${END} `)
    .split(/[\s<>()`[\]{},]+/)
    .filter((word) => word !== '');
  return words.some((word, at) => {
    let next = at + 1;
    // Options may stand before the subcommand; only --root takes a word of its own. A script may end its line there.
    for (; words[next]?.startsWith('-') || words[next] === END; next += words[next] === '--root' ? 2 : 1) {
      if (ASKS_FOR_HELP.has(words[next] ?? '')) return false;
    }
    if (!subcommands.has(words[next] ?? '') || ASKS_FOR_HELP.has(words[next + 1] ?? '')) return false;
    return isProgram(word, words.slice(0, at));
  });
}

const SEARCHES = /^(?:[\w./-]*\/)?(?:[efz]?grep|rg|ag|ack|git\s+grep)\s/;
/** Options by which a search starts another program. */
const SEARCH_RUNS = /\s(?:--pre|--pager|--open-files|-O)|\$\(|`|[<>]\(/;
/** What runs the text it is handed. */
const RUNS_TEXT =
  /^(?:\w+=\S*\s+|(?:sudo|env|command|exec|nohup|time)\s+)*(?:[\w./-]*\/)?(?:\w*sh|xargs|parallel|python\d*|node|bun|deno|perl|ruby|php|eval|source|script|expect|tee|\.)(?:\s|$)/;

/** A command without those of its parts that only look for a text: what they look for is not run. */
export function withoutSearches(command: string): string {
  const parts = partsOf(command.slice(0, LONGEST));
  if (parts.some((part) => RUNS_TEXT.test(part))) return command;
  return parts.filter((part) => !SEARCHES.test(part) || SEARCH_RUNS.test(part)).join('\n');
}

/** Cut where the shell does, outside of quotes. */
function partsOf(command: string): string[] {
  const parts: string[] = [];
  for (const [part] of command.matchAll(/(?:\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|[^;|&\n\\])+/g))
    parts.push(part.trim());
  return parts;
}

/**
 * Whether a path with wildcards can mean something in or below a folder; both with slashes and in lower case. As in a
 * shell, a wildcard does not stand for the dot that begins a name.
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

/** More wildcards in one name than anybody types: they could take for ever to try, so they count as fitting. */
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
    // An open bracket: the shell takes it as it is, and no folder of ours has one.
    return false;
  }
}
