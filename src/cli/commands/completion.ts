import { openByNames } from '../../actions/session.ts';
import { type Command, EXIT, Misuse } from '../command.ts';
import { choice } from '../options.ts';
import { COMPLETED, completionScript, SHELLS } from '../setup/completion-script.ts';
import { withStore } from '../with-store.ts';

export const completion: Command = {
  help: `usage: surety completion ${SHELLS.join('|')}
       surety completion --ids COMMAND [--root DIR]

Prints what makes your shell complete commands, options and ids of memories:

  bash   surety completion bash > ~/.local/share/bash-completion/completions/surety
  zsh    surety completion zsh > a file named _surety in a folder of your $fpath
  fish   surety completion fish > ~/.config/fish/completions/surety.fish

  --ids COMMAND   print the ids that fit a command, one on a line; the scripts call this
  --root DIR      the store's folder (else SURETY_ROOT, else ~/.surety)

exit codes: 0 done, 1 failed, 64 the command line was not understood
`,
  options: { ids: `one of ${Object.keys(COMPLETED).join(', ')}` },
  takes: 1,
  run: async (given, { commands }) => {
    const command = choice(given, 'ids', Object.keys(COMPLETED));
    if (command !== undefined) return printIds(command, given.root);
    const shell = SHELLS.find((each) => each === given.rest[0]);
    if (shell === undefined) throw new Misuse(`surety completion needs a shell: ${SHELLS.join(', ')}`);
    process.stdout.write(await completionScript(shell, commands));
    return EXIT.done;
  },
};

function printIds(command: string, root: string | undefined): Promise<number> {
  return withStore(openByNames(root), ({ vault }) => {
    for (const place of COMPLETED[command] ?? []) {
      for (const { stem } of vault.survey(place)) process.stdout.write(`${stem}\n`);
    }
    return EXIT.done;
  });
}
