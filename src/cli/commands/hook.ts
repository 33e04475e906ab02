import { HOOKS } from '../../core/clients/entries.ts';
import { HOOK_CLIENTS, type HookClient } from '../../core/clients/hook-answers.ts';
import { type Command, EXIT, Misuse } from '../command.ts';
import { choice } from '../options.ts';

const CLIENTS = Object.keys(HOOK_CLIENTS) as HookClient[];

export const hook: Command = {
  help: `usage: surety hook session-start|user-prompt-submit|pre-tool-use|pre-compact [--client NAME] [--root DIR]

What a client runs by itself once surety init has registered it; it hands over JSON on stdin and reads JSON from stdout.

  session-start       gives the session the memories to begin with, within contextCharacters and at most what Claude
                      Code takes (10,000 characters); tells you how much that was, what the last session proposed and
                      what waits for you; says nothing when there is nothing
  user-prompt-submit  notes what you type, as keyed hashes of its sentences and never as text, for as long as the
                      session lasts and at most a day; a question about a memory can then say whether its words came
                      through your prompt; a prompt that begins with "remember:" or "remember that" has the agent
                      propose it and ask you
                      Gives the agent the verified memories that match the prompt well: at most three, within 1,500
                      characters, each once a session; recallPerPrompt in config.json switches it off
  pre-tool-use        refuses tools that would read or write Surety's own files, and shell commands that name them or
                      run a command of yours such as surety review; it looks at names only, so it stops habit and not
                      intent
  pre-compact         lets prompts bring again what the session forgets now, for clients that do not start the session
                      again after a compaction

  --client NAME  whose JSON is spoken: claude-code (the default), codex, gemini-cli, qwen-code, cursor, vs-code,
                 copilot-cli
  --root DIR     the store's folder (else SURETY_ROOT, else ~/.surety)

A hook never fails a session: what goes wrong is a line on stderr.
exit codes: 0 always, 64 the command line was not understood
`,
  options: { client: 'a client' },
  takes: 1,
  run: async (given, doors) => {
    const {
      root,
      rest: [name],
    } = given;
    const client = choice(given, 'client', CLIENTS) ?? 'claude-code';
    const known = HOOKS.find((each) => each === name);
    if (known === undefined) throw new Misuse(`surety hook needs one of ${HOOKS.join(', ')}`);
    await doors.hook(known, client, root);
    return EXIT.done;
  },
};
