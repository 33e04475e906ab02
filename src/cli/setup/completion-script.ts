import type { ListedCommand } from '../command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const BOTH = ['memories', 'quarantine'] as const;

/** The commands that take a memory, and where the memories lie that fit. */
export const COMPLETED: Readonly<Record<string, readonly ('memories' | 'quarantine')[]>> = {
  promote: ['memories'],
  demote: ['memories'],
  restore: ['quarantine'],
  adopt: BOTH,
  show: BOTH,
  log: BOTH,
  archive: ['quarantine'],
  erase: BOTH,
};

interface Completed {
  readonly name: string;
  readonly summary: string;
  /** Options of its own, and those of every command. */
  readonly options: readonly { readonly name: string; readonly takesValue: boolean }[];
}

/** What makes a shell complete commands and options, and ask this program for ids. */
export async function completionScript(shell: Shell, all: Readonly<Record<string, ListedCommand>>): Promise<string> {
  const commands = await Promise.all(
    Object.entries(all).map(async ([name, { summary, load }]): Promise<Completed> => {
      const { options, switches = [] } = await load();
      const valued = [...Object.keys(options), 'root'].map((option) => ({ name: option, takesValue: true }));
      const plain = [...switches, 'help'].map((option) => ({ name: option, takesValue: false }));
      return { name, summary, options: [...valued, ...plain] };
    }),
  );
  return SCRIPTS[shell](commands);
}

const SCRIPTS: Record<Shell, (commands: readonly Completed[]) => string> = { bash, zsh, fish };
const WITH_IDS = Object.keys(COMPLETED).join('|');

function optionsIn(commands: readonly Completed[], line: (options: string) => string): string {
  return commands
    .map(({ name, options }) => `    ${name}) ${line(options.map((each) => `--${each.name}`).join(' '))} ;;\n`)
    .join('');
}

function bash(commands: readonly Completed[]): string {
  return `# bash completion for surety
_surety() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} options=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$cur"))
    return
  fi
  case $cur in
  -*)
    case $command in
${optionsIn(commands, (options) => `options="${options}"`)}    esac
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    ;;
  *)
    case $command in
    ${WITH_IDS}) COMPREPLY=($(compgen -W "$(surety completion --ids "$command" 2>/dev/null)" -- "$cur")) ;;
    completion) COMPREPLY=($(compgen -W "${SHELLS.join(' ')}" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -f -- "$cur")) ;;
    esac
    ;;
  esac
}
complete -F _surety surety
`;
}

function zsh(commands: readonly Completed[]): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${summary.replaceAll("'", "'\\''")}'\n`);
  return `#compdef surety
_surety() {
  local -a commands
  commands=(
${described.join('')}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  if [[ $PREFIX == -* ]]; then
    case $words[2] in
${optionsIn(commands, (options) => `compadd -- ${options}`)}    esac
    return
  fi
  case $words[2] in
  ${WITH_IDS}) compadd -- \${(f)"$(surety completion --ids $words[2] 2>/dev/null)"} ;;
  completion) compadd -- ${SHELLS.join(' ')} ;;
  *) _files ;;
  esac
}
if [[ $funcstack[1] == _surety ]]; then _surety "$@"; else compdef _surety surety; fi
`;
}

function fish(commands: readonly Completed[]): string {
  const quoted = (words: string) => `'${words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c surety -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...options.map(
      (option) =>
        `complete -c surety -n '__fish_seen_subcommand_from ${name}' -l ${option.name}${option.takesValue ? ' -r' : ''}`,
    ),
    ...(Object.hasOwn(COMPLETED, name)
      ? [
          `complete -c surety -n '__fish_seen_subcommand_from ${name}' -f -a '(surety completion --ids ${name} 2>/dev/null)'`,
        ]
      : []),
  ]);
  const shells = `complete -c surety -n '__fish_seen_subcommand_from completion' -f -a '${SHELLS.join(' ')}'`;
  return `# fish completion for surety\n${[...lines, shells].join('\n')}\n`;
}
