import { parseId } from '../core/memory/ids.ts';
import { type Given, Misuse } from './command.ts';

// Apart from the other options, because knowing an id takes the rules for secrets, and hooks must start quickly.

/** Reads a memory's id; a path to its file is accepted too. */
export function idIn(given: Given, command: string): string | undefined {
  return idsIn(given, command)[0];
}

export function idsIn({ rest }: Given, command: string): string[] {
  return rest.map((written) => stemOf(written, command));
}

function stemOf(written: string, command: string): string {
  const stem = written.replace(/^.*[/\\]/, '').replace(/\.md$/, '');
  if (parseId(stem.replace(/~\d+$/, '')) === undefined) {
    throw new Misuse(`surety ${command} needs an id such as user_editor`);
  }
  return stem;
}
