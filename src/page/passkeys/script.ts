/**
 * How a page's script asks the authenticator for a signature. A part of the scripts of both pages. The browser shows the
 * person its own dialog; the page cannot answer it.
 */
export const PASSKEY_JS = `const toBytes = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const known = (credentials) =>
    credentials.split(' ').filter(Boolean).map((id) => ({ type: 'public-key', id: toBytes(id) }));
  const withoutPasskey = () => document.getElementById('without-passkey');
  const notSigned = () =>
    'The passkey did not answer, so nothing was done. Answer again to try it again' +
    (withoutPasskey() ? ', or choose below the text to answer without it.' : '.');
  /** Whether a passkey is asked before this answer is sent. */
  const asksPasskey = (button) =>
    Boolean(button.dataset.challenge) && !withoutPasskey()?.checked;
  /** What one of these passkeys signs for the challenge, as fields of a form. */
  const signed = async ({ challenge, credentials }, signal) => {
    const { id, response } = await navigator.credentials.get({
      ...(signal && { signal }),
      publicKey: {
        challenge: toBytes(challenge),
        rpId: 'surety.localhost',
        allowCredentials: known(credentials),
        userVerification: 'required',
      },
    });
    return {
      credential: id,
      authenticatorData: toText(response.authenticatorData),
      clientDataJSON: toText(response.clientDataJSON),
      signature: toText(response.signature),
    };
  };`;

/** The script of the page for passkeys: its one button makes a passkey, or has one sign. */
export const ENROL_JS = `'use strict';
(() => {
  ${PASSKEY_JS}
  /** A new passkey, as fields of a form. It is kept on the authenticator, which checks who the person is. */
  const created = async ({ challenge, user, credentials }) => {
    const { id, response } = await navigator.credentials.create({
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
    return {
      credential: id,
      publicKey: toText(response.getPublicKey()),
      authenticatorData: toText(response.getAuthenticatorData()),
      clientDataJSON: toText(response.clientDataJSON),
    };
  };
  const form = document.getElementById('answers');
  const said = document.getElementById('said');
  for (const button of form?.querySelectorAll('button') ?? []) button.disabled = false;
  let isBusy = false;
  form?.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    try {
      const { dataset } = event.submitter;
      const fields = await (dataset.user ? created(dataset) : signed(dataset));
      for (const [name, value] of Object.entries(fields))
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
      form.submit();
    } catch {
      said.className = 'said warning';
      said.textContent = 'The authenticator did not answer, or cannot check who you are. Nothing was changed; you can try again.';
    }
    isBusy = false;
  });
})();
`;
