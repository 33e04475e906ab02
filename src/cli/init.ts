import { settlePlaces } from '../actions/session.ts';
import { openVault } from '../store/open.ts';

/** Creates the store and this machine's key, or takes an existing store into use here. Says where everything is. */
export async function init(root: string | undefined): Promise<string> {
  const places = settlePlaces(root);
  const vault = await openVault(places);
  vault.close();
  return `store   ${places.root}\nkey     ${places.config} (stays on this machine)\nledger  ${vault.parts.key.fingerprint}\n`;
}
