// The script of the page for passkeys: its one button makes a passkey, or has one sign.

import { find, submitterOf } from './elements.js';
import { known, sendWith, signed, toBytes, toText } from './passkey.js';
import { rest, watchServer } from './watch.js';

/**
 * A new passkey, as fields of a form. It is kept on the authenticator, which checks who the person is.
 * @type {(asked: DOMStringMap) => Promise<Record<string, string>>}
 */
const created = async ({ challenge = '', user = '', credentials = '' }) => {
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: toBytes(challenge),
      rp: { id: 'surety.localhost', name: 'Surety' },
      user: { id: toBytes(user), name: 'Surety', displayName: 'Surety' },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: known(credentials),
      attestation: 'none',
    },
  });
  const { id, response } = /** @type {PublicKeyCredential & { response: AuthenticatorAttestationResponse }} */ (
    credential
  );
  return {
    credential: id,
    publicKey: toText(/** @type {ArrayBuffer} */ (response.getPublicKey())),
    authenticatorData: toText(response.getAuthenticatorData()),
    clientDataJSON: toText(response.clientDataJSON),
  };
};

/** @param {unknown} error */
const whyNot = (error) =>
  error instanceof DOMException && error.name === 'InvalidStateError'
    ? 'This authenticator has a passkey of this store already. Nothing was changed; use another one, such as a security key or a phone.'
    : 'The authenticator did not answer, or cannot check who you are. Nothing was changed; you can try again.';

const form = document.forms.namedItem('answers');
for (const button of form?.querySelectorAll('button') ?? []) button.disabled = false;
let isBusy = false;
let isOver = false;
watchServer(
  () => isOver,
  () => {
    rest();
    isOver = true;
    find('sheet').hidden = true;
    const gone = find('gone');
    gone.hidden = false;
    gone.querySelector('h1')?.focus();
  },
);
form?.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (isBusy) return;
  isBusy = true;
  try {
    const { dataset } = submitterOf(event);
    const fields = await (dataset.user ? created(dataset) : signed(dataset));
    if (!isOver) sendWith(form, fields);
  } catch (error) {
    const said = find('said');
    said.className = 'said warning';
    said.textContent = whyNot(error);
  }
  isBusy = false;
});
