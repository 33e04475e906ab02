import type { MemoryType } from './limits.ts';

const ADDRESS = /\bhttps?:\/\/\S/i;
const ABOUT_ME = /^(?:i|i['’]m|my|me)\b/i;
/** What an agent is to do or not to do. */
const ORDER = /\b(?:always|never|don['’]t|do not|avoid|prefer|instead of|please|make sure)\b/i;

const LONGEST_NAME = 48;
const LONGEST_DESCRIPTION = 256;

/** Type, name and description for one line that a person dictated. A suggestion: they see it before they say yes. */
export function suggestWording(line: string, project: string | undefined) {
  const type = typeOf(line, project !== undefined);
  return {
    type,
    name: nameOf(line),
    description: cut(line, LONGEST_DESCRIPTION),
    ...(type === 'project' && project !== undefined && { project }),
    body: line,
  };
}

function typeOf(line: string, inProject: boolean): MemoryType {
  if (ADDRESS.test(line)) return 'reference';
  if (ABOUT_ME.test(line)) return 'user';
  if (ORDER.test(line)) return 'feedback';
  return inProject ? 'project' : 'user';
}

/** The first words, without the full stop. */
function nameOf(line: string): string {
  return cut(line.replace(/[\s.!?;:,]+$/u, ''), LONGEST_NAME);
}

/** At most so many code points, cut between words where there are any. */
function cut(text: string, most: number): string {
  const points = [...text];
  if (points.length <= most) return text;
  const start = points.slice(0, most - 1).join('');
  const end = start.lastIndexOf(' ');
  return `${(end > most / 2 ? start.slice(0, end) : start).replace(/[\s.!?;:,]+$/u, '')}…`;
}
