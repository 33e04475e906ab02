// How a page's script asks the authenticator for a signature. The browser shows the person its own dialog; the page
// cannot answer it.

/** @type {(text: string) => Uint8Array<ArrayBuffer>} */
export const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
/** @type {(buffer: ArrayBuffer) => string} */
export const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
/** @type {(credentials: string) => PublicKeyCredentialDescriptor[]} */
export const known = (credentials) =>
  credentials
    .split(' ')
    .filter(Boolean)
    .map((id) => ({ type: 'public-key', id: toBytes(id) }));
const withoutPasskey = () => /** @type {HTMLInputElement | null} */ (document.getElementById('without-passkey'));
export const notSigned = () =>
  'The passkey did not answer, so nothing was done. Answer again to try it again' +
  (withoutPasskey() ? ', or choose below the text to answer without it.' : '.');
/** Whether a passkey is asked before this answer is sent. @type {(button: HTMLButtonElement) => boolean} */
export const asksPasskey = (button) => Boolean(button.dataset.challenge) && !withoutPasskey()?.checked;

/**
 * What one of these passkeys signs for the challenge, as fields of a form.
 * @type {(asked: DOMStringMap, signal?: AbortSignal) => Promise<Record<string, string>>}
 */
export const signed = async ({ challenge = '', credentials = '' }, signal) => {
  const credential = await navigator.credentials.get({
    ...(signal && { signal }),
    publicKey: {
      challenge: toBytes(challenge),
      rpId: 'surety.localhost',
      allowCredentials: known(credentials),
      userVerification: 'required',
    },
  });
  const { id, response } = /** @type {PublicKeyCredential & { response: AuthenticatorAssertionResponse }} */ (
    credential
  );
  return {
    credential: id,
    authenticatorData: toText(response.authenticatorData),
    clientDataJSON: toText(response.clientDataJSON),
    signature: toText(response.signature),
  };
};

/**
 * Sends a form with these fields besides its own.
 * @type {(form: HTMLFormElement, fields: Record<string, string>) => void}
 */
export const sendWith = (form, fields) => {
  for (const [name, value] of Object.entries(fields))
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  form.submit();
};
