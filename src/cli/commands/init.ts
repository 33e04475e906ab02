import { placesForRoot } from '../../actions/places-for-root.ts';
import { whyNoFirstPasskey } from '../../actions/review/first-passkey.ts';
import { connectStore } from '../../actions/sync/connect-remote.ts';
import { howToStartOver } from '../../actions/upkeep/how-to-start-over.ts';
import type { Refusal } from '../../core/refusal.ts';
import { text, visible } from '../../core/text/safe-text.ts';
import { passkeysNow } from '../../store/maintenance/passkeys.ts';
import { openVault, takeOver } from '../../store/open-vault.ts';
import { knownOwner } from '../../store/places/owner.ts';
import type { Places } from '../../store/places/places.ts';
import { ours } from '../ask/sheet.ts';
import { Witness, whyNobody } from '../ask/witness.ts';
import { type Command, Misuse } from '../command.ts';
import {
  offerRegistration,
  tellClients,
  tellCommand,
  tellFirstWords,
  thisMachineOf,
  undoRegistration,
} from '../setup/client-setup.ts';
import { offerClientMemory } from '../setup/offer-client-memory.ts';
import { offerPasskey } from '../setup/offer-passkey.ts';
import type { Style } from '../terminal/line.ts';
import { complain, say, windowSize } from '../terminal/print.ts';
import { importing } from './import.ts';
import { passkey } from './passkey.ts';

/** Creates the store and this machine's key, or starts using an existing store, and sets up the clients that are here. */
export const init: Command = {
  help: `usage: surety init [--remote URL] [--undo] [--root DIR]

Creates the store and this machine's key where they are missing, or takes a cloned store into use here, and says where
everything is. Where there is no config.json it writes one with your e-mail address by git and your user name, so that
the checks can tell them from other people's. It changes nothing of a store that is there already. Where this machine
had a key that is gone or cannot be used, it makes a new one only with your yes at a terminal; no memory becomes
verified by that.

Then, for each client on this machine (Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, Cursor, opencode), it
shows what it would write into which of the client's files, the server and the hooks, and asks; a file that cannot be
read or changed safely is left alone. Without a terminal it only shows. It prints the lines for other clients.

Claude Code keeps a memory of its own, which it loads beside Surety's. Once it is set up you are asked, one by one,
whether to import what is in it (surety import: each text is shown and asked about) and whether to switch it off
("autoMemoryEnabled": false in its settings, where you have not set that yourself).

At the end it asks once whether to enrol a passkey, on a page in your browser (surety passkey add). Enter means no.
Where there is a remote it does not ask before the first sync, nor where another machine has a passkey, because a store
has one first passkey.

  --remote URL  make the store a git repository that syncs with this one: anything git understands, such as
                git@host:you/memories.git or a folder. Nothing is sent or fetched yet: surety sync does that.
  --undo        show and take Surety's own entries out of the clients' files, and switch Claude Code's own memory on
                again if init switched it off; the store stays, with what was imported. It names every folder
                that stays
  --root DIR    the store's folder (else SURETY_ROOT, else ~/.surety)

exit codes: 0 done, or nothing was to be done; 1 something could not be done, or --undo was not confirmed; 64 the
command line was not understood; 130 interrupted
`,
  options: { remote: 'an address' },
  switches: ['undo'],
  takes: 0,
  run: async ({ root, switches, options: { remote } }, doors) => {
    if (switches.has('undo') && remote !== undefined) throw new Misuse('--remote does not go with --undo');
    const places = placesForRoot(root);
    const machine = thisMachineOf(places);
    if (switches.has('undo')) return undoRegistration(machine, root, places);
    await create(places, remote);
    const { code, without } = await offerRegistration(machine, root, (client, name) =>
      offerClientMemory(client, name, machine, root, (folder) =>
        importing.run({ root, options: {}, switches: new Set(), rest: [folder] }, doors),
      ),
    );
    say();
    tellCommand(machine);
    tellClients(machine.start, without);
    await offerPasskey(root, () => passkey.run({ root, options: {}, switches: new Set(), rest: ['add'] }, doors));
    tellFirstWords(without);
    return code;
  },
};

/** A key that is lost or cannot be used is given up only with a person's yes; without one nothing is made. */
async function takeOverWithYes(places: Places, trouble: Refusal): Promise<void> {
  if (whyNobody('init') !== undefined) throw trouble;
  const witness = new Witness();
  try {
    const lines = ours('key', trouble.message, windowSize().width, 'danger');
    const { key } = await witness.askPlainly(
      lines,
      text`Give the old key up and make a new one? No memory is verified by that.`,
    );
    if (key !== 'y') throw trouble;
    await takeOver(places);
  } finally {
    witness.terminal.close();
  }
}

/** Shown, because it is taken from other programs' settings. */
function tellOwner({ config }: Places): void {
  const { emails, homeUser } = knownOwner(config, complain);
  if (emails.length === 0 && homeUser === undefined) return;
  const user = homeUser === undefined ? [] : [`user name ${homeUser}`];
  const known = [...(emails.length === 0 ? ['no e-mail address'] : emails), ...user].join(', ');
  tellRow('owner', `${visible(known, 'line')} (in config.json, beside the key)`);
}

function tellRow(label: string, sentence: string, style?: Style): void {
  for (const line of ours(label, sentence, windowSize().width, style)) say(...line);
}

async function create(places: Places, remote: string | undefined): Promise<void> {
  const first = await openVault(places);
  const { keyTrouble } = first;
  first.close();
  if (keyTrouble !== undefined) await takeOverWithYes(places, keyTrouble);
  const vault = await openVault(places);
  let hasPasskey = false;
  let notYet: string | undefined;
  let troubles: readonly (string | undefined)[] = [];
  try {
    if (remote !== undefined) await connectStore(vault, remote);
    hasPasskey = passkeysNow(vault).isKnown;
    notYet = whyNoFirstPasskey(vault);
    troubles = [vault.reports().find(({ own }) => own)?.advice, howToStartOver(vault)];
  } finally {
    vault.close();
  }
  tellRow('store', `${visible(places.root, 'line')}`);
  tellRow('key', `${visible(places.config, 'line')} (stays on this machine)`);
  tellRow('ledger', vault.self.fingerprint);
  // As where a store was moved away from here: nothing can be proposed or vouched for until a person settles it.
  for (const each of troubles) if (each) tellRow('', each, 'warning');
  if (notYet !== undefined) tellRow('passkey', `none. ${notYet}`);
  else if (!hasPasskey)
    tellRow('passkey', 'none; surety passkey add enrols one. No program can give a yes that a passkey signed');
  tellOwner(places);
  if (remote !== undefined) tellRow('remote', 'set; surety sync brings the two together');
  say();
}
