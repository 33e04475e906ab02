import { win32 } from 'node:path';
import { type ProgramSystem, programOnPath, spellings, windowsProgram } from '../places/system-programs.ts';

/** How an editor is started. */
export interface EditorCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The arguments are for Windows' command interpreter, which reads quotes in its own way. */
  readonly verbatim?: boolean;
}

const FILE = 'SURETY_EDITED_FILE';

/**
 * A shell reads EDITOR everywhere, so `code --wait` and quotes work here too. The file's name is passed separately and
 * is never part of the command. Undefined where there is no such program.
 */
export function editorCommand(named: string, file: string, system: ProgramSystem): EditorCommand | undefined {
  if (system.platform === 'win32') return windowsCommand(named, file, system);
  if (/^[\w@+:,./-]+$/.test(named)) return { program: named, args: [file] };
  return { program: '/bin/sh', args: ['-c', `${named} "$@"`, named, file] };
}

/** The editors to try where none is named. */
export function usualEditors(file: string, system: ProgramSystem): EditorCommand[] {
  if (system.platform === 'win32') return [{ program: windowsProgram('notepad.exe', system), args: [file] }];
  return ['nano', 'vi'].flatMap((name) => {
    const program = programOnPath(name, system);
    return program === undefined ? [] : [{ program, args: [file] }];
  });
}

function windowsCommand(named: string, file: string, system: ProgramSystem): EditorCommand | undefined {
  // A path with blanks and without quotes, as people write it.
  const whole = found(named.trim(), system);
  const [first = '', ...args] = whole === undefined ? wordsOf(named) : [named];
  const program = whole ?? found(first, system);
  if (program === undefined) return undefined;
  if (!/\.(?:cmd|bat)$/i.test(program)) return { program, args: [...args, file] };
  // The interpreter starts a script; the file's name is a variable, so none of it is read as a command.
  const words = [program, ...args].map((word) => `"${word}"`).join(' ');
  return {
    program: windowsProgram('cmd.exe', system),
    args: ['/d', '/s', '/c', `"${words} "%${FILE}%""`],
    env: { [FILE]: file },
    verbatim: true,
  };
}

/** Words as in a shell; a quote counts only at a word's beginning, because a folder's name may hold one. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
    /^(?:".*"|'.*')$/.test(word) ? word.slice(1, -1) : word.replaceAll('"', ''),
  );
}

function found(program: string, system: ProgramSystem): string | undefined {
  if (!/[\\/]/.test(program)) return programOnPath(program, system);
  if (!win32.isAbsolute(program)) return undefined;
  return spellings(program, 'win32').find((path) => system.isProgram(path));
}
