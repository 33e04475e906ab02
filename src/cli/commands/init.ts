import { settlePlaces } from '../../actions/places.ts';
import { openVault } from '../../store/open.ts';
import { type Command, EXIT } from '../command.ts';

/** Creates the store and this machine's key, or takes an existing store into use here. Says where everything is. */
export const init: Command = {
  help: `usage: surety init [--root DIR]

Creates the store and this machine's key where they are missing, or takes a cloned store into use here, and says where
everything is. It changes nothing that is there already.

  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)
`,
  options: {},
  takes: 0,
  run: async ({ root }) => {
    const places = settlePlaces(root);
    const vault = await openVault(places);
    vault.close();
    process.stdout.write(
      `store   ${places.root}\nkey     ${places.config} (stays on this machine)\nledger  ${vault.parts.key.fingerprint}\n`,
    );
    return EXIT.done;
  },
};
