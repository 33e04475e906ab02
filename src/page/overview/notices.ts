import { offersPasskey } from '../../actions/review/first-passkey.ts';
import { untrustedMachines } from '../../actions/review/machines.ts';
import type { Session } from '../../actions/session.ts';
import { lastSync, tickOffSyncNotices } from '../../actions/sync/sync-notices.ts';
import { visible } from '../../core/text/safe-text.ts';
import { randomHex } from '../../store/disk/random.ts';
import type { SyncNotice } from '../../store/sync/notices.ts';
import { html, type Markup, ours, when } from '../markup.ts';
import { syncList } from '../page-frame.ts';
import { PASSKEY_OFFER } from '../passkeys/asking-page.ts';

/** What stands above the list: notices of syncs until the person has seen them, and machines whose word does not count. */
export class Notices {
  readonly #session: Session;
  /** The notices that the browser got last. Their token is good for ticking off exactly these. */
  #shown: { readonly token: string; readonly notices: readonly SyncNotice[] } | undefined;

  /** The token of the offer to enrol a passkey, while it stands there. */
  #offer: string | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Called after a yes that no passkey signed. */
  offerPasskey(): void {
    if (this.#offer === undefined && offersPasskey(this.#session.vault, 'page')) this.#offer = randomHex(16);
  }

  view(): Markup {
    const notices = lastSync(this.#session)?.notices ?? [];
    // Where a machine vouches for nothing here, nothing depends on whether its word counts.
    const machines = untrustedMachines(this.#session).filter(({ vouchesFor }) => vouchesFor > 0);
    const token = randomHex(16);
    this.#shown = { token, notices };
    const offer = this.#offer;
    return html`${offer === undefined ? undefined : html`<section class="syncs"><p>${PASSKEY_OFFER} <button type="button" class="small" data-seen="${ours(offer)}">Seen</button></p></section>`}${when(
      notices.length > 0,
      () => html`<section class="syncs">${syncList(notices)}
      <button type="button" class="small" data-seen="${ours(token)}">Seen</button></section>`,
    )}
      ${when(
        machines.length > 0,
        () =>
          html`<section class="syncs"><h2>Machines whose word does not count here</h2><ul class="tally">${machines.map(
            ({ name, fingerprint, vouchesFor }) =>
              html`<li><q>${visible(name, 'line')}</q> <code>${ours(fingerprint.slice(0, 16))}</code> <span class="quiet">${ours(`vouches for ${vouchesFor === 1 ? '1 memory' : `${vouchesFor} memories`}`)}</span></li>`,
          )}</ul><p class="quiet">surety machines trust asks whether it should, and surety review --web does too.</p></section>`,
      )}`;
  }

  /** Marks what was shown with this token as seen. False for another token: something else was on the screen. */
  async tickOff(token: string): Promise<boolean> {
    if (token !== '' && token === this.#offer) {
      this.#offer = undefined;
      return true;
    }
    const shown = this.#shown;
    if (shown === undefined || shown.token !== token) return false;
    this.#shown = undefined;
    await tickOffSyncNotices(this.#session, shown.notices);
    return true;
  }
}
