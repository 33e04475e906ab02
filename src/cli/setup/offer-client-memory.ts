import { recordSetup } from '../../actions/audit-without-session.ts';
import { type MachineSetup, planOwnMemoryOff, register } from '../../actions/register.ts';
import type { ClientSetup } from '../../core/clients/clients.ts';
import { type SafeText, text, visible } from '../../core/text/safe-text.ts';
import { ownMemoriesOf } from '../../store/programs/client-files.ts';
import { say, tell } from '../terminal/print.ts';
import { asked, shownAndAsked } from './client-setup.ts';

/** At most 10 folders are named, because somebody may have hundreds of projects. */
const MOST_NAMED = 10;

/** Says that a client has a memory of its own, and offers to import what is in it and to switch it off, each by itself. */
export async function offerClientMemory(
  client: ClientSetup,
  name: SafeText,
  machine: MachineSetup,
  root: string | undefined,
  importFolder: (folder: string) => Promise<unknown>,
): Promise<void> {
  if (client.ownMemory === undefined) return;
  say();
  tell(
    text`${name} keeps a memory of its own and loads it in every session, beside Surety’s. Nobody confirms what is in it.`,
  );
  await offerImport(client, machine, importFolder);
  await offerSwitchOff(client, name, machine, root);
}

async function offerImport(
  client: ClientSetup,
  machine: MachineSetup,
  importFolder: (folder: string) => Promise<unknown>,
) {
  const folders = ownMemoriesOf(client, machine);
  if (folders.length === 0) return;
  tell(text`It is in:`, 'strong');
  for (const folder of folders.slice(0, MOST_NAMED)) say(text`  ${visible(folder, 'line')}`);
  if (folders.length > MOST_NAMED) say(text`  and ${folders.length - MOST_NAMED} more`);
  const answer = await asked(text`[y] import it; each text is shown and asked about   [n] not now (Enter)`);
  if (answer === 'yes') for (const folder of folders) await importFolder(folder);
  else tell(text`Nothing was imported. surety import FOLDER does it later.`);
}

async function offerSwitchOff(client: ClientSetup, name: SafeText, machine: MachineSetup, root: string | undefined) {
  const plan = planOwnMemoryOff(client, machine);
  if (plan.changes.length === 0) return;
  tell(text`To switch it off, this would be written:`, 'strong');
  if ((await shownAndAsked(plan)) !== 'yes') {
    tell(text`It stays on.`);
    return;
  }
  register(machine, plan);
  recordSetup(root, 'init', 'yes');
  tell(text`The memory of ${name} is off. surety init --undo switches it on again.`, 'good');
}
