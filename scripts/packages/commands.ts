import { memoryReview } from '../../src/prompts/memory-review.ts';
import { remember } from '../../src/prompts/remember.ts';

/** What follows a command when it is typed, all of it. */
const WORDS = '$ARGUMENTS';

/** The plugin's commands, with the words of the server's own prompts. Only a person can call them. */
export async function commands(): Promise<Readonly<Record<string, string>>> {
  return {
    remember: page(remember, '[what to remember]', await remember.say({ statement: WORDS }, 'typed')),
    review: page(
      memoryReview,
      '[which ones]',
      `${await memoryReview.say({}, '')}\n\nWhat I typed after the command, if anything, says which ones to begin with: ${WORDS}`,
    ),
  };
}

function page({ description }: { readonly description: string }, hint: string, said: { toString(): string }): string {
  const head = { description, 'argument-hint': hint, 'disable-model-invocation': true };
  const lines = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${said}\n`;
}
