import type { CDPSession, Page as Tab } from 'playwright-core';
import type { SoftwareAuthenticator } from './authenticator.ts';

/** An authenticator that Chromium itself plays, with its person: whether they touch it, and whether it recognizes them. */
export class VirtualAuthenticator {
  readonly #cdp: CDPSession;
  readonly #id: string;

  private constructor(cdp: CDPSession, id: string) {
    this.#cdp = cdp;
    this.#id = id;
  }

  static async of(tab: Tab, options: { transport?: 'internal' | 'usb'; verifies?: boolean } = {}) {
    const { transport = 'internal', verifies = true } = options;
    const cdp = await tab.context().newCDPSession(tab);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport,
        hasResidentKey: true,
        hasUserVerification: verifies,
        isUserVerified: verifies,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(cdp, authenticatorId);
  }

  /** Gives it a passkey that is enrolled already. */
  async hold(passkey: SoftwareAuthenticator, rpId = 'surety.localhost'): Promise<void> {
    const credentialId = Buffer.from(passkey.credential, 'base64url').toString('base64');
    const credential = { credentialId, rpId, privateKey: passkey.pkcs8, signCount: 1, isResidentCredential: true };
    await this.#cdp.send('WebAuthn.addCredential', {
      authenticatorId: this.#id,
      credential: { ...credential, userHandle: Buffer.from('surety').toString('base64') },
    });
  }

  /** The ids of what it holds, in base64url. */
  async held(): Promise<string[]> {
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId: this.#id });
    return credentials.map(({ credentialId }) => Buffer.from(credentialId, 'base64').toString('base64url'));
  }

  /** Lets another one answer with its passkeys too, as a phone that is held to another computer does. */
  async answerThrough(other: VirtualAuthenticator): Promise<void> {
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId: this.#id });
    for (const credential of credentials)
      await other.#cdp.send('WebAuthn.addCredential', { authenticatorId: other.#id, credential });
  }

  /** Whether it recognizes the person from now on. */
  async verifies(isUserVerified: boolean): Promise<void> {
    await this.#cdp.send('WebAuthn.setUserVerified', { authenticatorId: this.#id, isUserVerified });
  }

  /** Whether the person touches it when it asks, from now on. */
  async touches(enabled: boolean): Promise<void> {
    await this.#cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#id, enabled });
  }
}
