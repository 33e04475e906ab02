import { LIMITS, type MemoryType } from '../memory/limits.ts';
import { lengthOf } from '../memory/memory.ts';

/** What some other program keeps, told as the memory it would be here. */
export interface Retold {
  /** Where in the source it is from, as it is written there. */
  readonly label: string;
  readonly type: MemoryType;
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/** A retold text whose name and description fit, with nothing lost: what had to be cut stands whole before the text. */
export function retold(label: string, type: MemoryType, name: string, description: string, body: string): Retold {
  const cut = [
    [name, LIMITS.name.max],
    [description, LIMITS.description.max],
  ] as const;
  const whole = cut.flatMap(([text, most]) => (lengthOf(oneLine(text)) > most ? [text.trim()] : []));
  // Too little for a memory by itself: what it is about is said before it.
  if (lengthOf(body.trim()) < LIMITS.body.min && whole.length === 0) whole.push(description.trim());
  return {
    label,
    type,
    name: shortened(name, LIMITS.name.max),
    description: shortened(description, LIMITS.description.max),
    body: [...whole, body].filter((text) => text.trim() !== '').join('\n\n'),
  };
}

/** At most so many characters on one line. */
export function shortened(text: string, most: number): string {
  const line = oneLine(text);
  return lengthOf(line) <= most
    ? line
    : `${[...line.normalize('NFC')]
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
