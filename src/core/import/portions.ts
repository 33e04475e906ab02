import { lengthOf } from '../memory/memory.ts';

/** As many lines in each portion as fit; a line that is too long gets a portion of its own. */
export function portions(lines: readonly string[], most: number): string[][] {
  const all: string[][] = [[]];
  let room = most;
  for (const line of lines) {
    const length = lengthOf(line) + 1;
    if (length > room && all.at(-1)?.length !== 0) {
      all.push([]);
      room = most;
    }
    all.at(-1)?.push(line);
    room -= length;
  }
  return all;
}
