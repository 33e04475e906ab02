import { connectStore } from '../../actions/connect.ts';
import { settlePlaces } from '../../actions/places.ts';
import { openVault } from '../../store/open.ts';
import { type Command, EXIT } from '../command.ts';

/** Creates the store and this machine's key, or takes an existing store into use here. Says where everything is. */
export const init: Command = {
  help: `usage: surety init [--remote URL] [--root DIR]

Creates the store and this machine's key where they are missing, or takes a cloned store into use here, and says where
everything is. It changes nothing that is there already.

  --remote URL  make the store a git repository that syncs with this one: anything git understands, such as
                git@host:you/memories.git or a folder. Nothing is sent or fetched yet: surety sync does that.
  --root DIR    the store's folder (else SURETY_ROOT, else ~/.surety)
`,
  options: { remote: 'an address' },
  takes: 0,
  run: async ({ root, options: { remote } }) => {
    const places = settlePlaces(root);
    const vault = await openVault(places);
    if (remote !== undefined) await connectStore(vault, remote);
    vault.close();
    process.stdout.write(
      `store   ${places.root}\nkey     ${places.config} (stays on this machine)\nledger  ${vault.parts.key.fingerprint}\n`,
    );
    if (remote !== undefined) process.stdout.write('remote  set; surety sync brings the two together\n');
    return EXIT.done;
  },
};
