import type { PasskeyRequest } from '../../actions/review/passkeys.ts';
import type { Session } from '../../actions/session.ts';
import { FLAWS, type Flaw, flawInAuthenticatorData, flawInClientData } from '../../core/passkeys/assertion.ts';
import { recoveryHash } from '../../core/passkeys/change.ts';
import { Refusal } from '../../core/refusal.ts';
import { randomHex } from '../../store/disk/random.ts';
import { changePasskeys, type PlannedChange, passkeysNow, planChange } from '../../store/maintenance/passkeys.ts';
import { type AnsweredSheet, assertionIn, type PageWitness } from '../witness.ts';

/** What the page shows next. */
export type PasskeyStep =
  /**
   * A new passkey is made. `user` is random: an authenticator replaces a passkey of the same user, and a person may have
   * several stores.
   */
  | {
      readonly kind: 'create';
      /** What the person calls it. */
      readonly name: string;
      readonly challenge: string;
      readonly user: string;
      readonly exclude: readonly string[];
      /** What the person calls the passkeys that confirm this one; none for the first. */
      readonly names: readonly string[];
      /** Whether the recovery code helps a person who has none of them any more. */
      readonly isRequired: boolean;
    }
  /** An enrolled passkey signs. `code` is the recovery code, which is shown once. */
  | {
      readonly kind: 'sign';
      readonly planned: PlannedChange;
      readonly code: string | undefined;
      /** What the person calls the passkeys that may sign. */
      readonly names: readonly string[];
    }
  /** `isOnly`: one passkey is enrolled now. */
  | { readonly kind: 'done'; readonly isOnly: boolean };

type Creating = Extract<PasskeyStep, { kind: 'create' }>;

/** One change of the passkeys, step by step. */
export class PasskeyTask {
  readonly task: PasskeyRequest;
  step: PasskeyStep;
  said: string | undefined;
  readonly #session: Session;
  readonly #witness: PageWitness;
  /** The same one after a refusal: the person may have written it down already. It opens nothing before it is required. */
  readonly #code = randomHex(16);

  constructor(session: Session, witness: PageWitness, task: PasskeyRequest) {
    this.#session = session;
    this.#witness = witness;
    this.task = task;
    this.step = this.#first();
  }

  /** Takes what the browser sent. A refusal is shown, and the person can try again. */
  async answer(form: URLSearchParams): Promise<void> {
    const answered = this.#witness.take(form);
    if (answered?.sheet.kind !== 'passkey') {
      this.said = 'That form was sent before. Nothing was changed by it.';
      return;
    }
    this.said = undefined;
    try {
      if (this.step.kind === 'create') await this.#created(this.step, form, answered);
      else if (this.step.kind === 'sign') await this.#signed(this.step.planned, form);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.said = error.forPerson;
      this.step = this.#first();
    }
  }

  #first(): PasskeyStep {
    const { vault } = this.#session;
    const { task } = this;
    if (task.kind === 'add') {
      const { passkeys, isRequired } = passkeysNow(vault);
      const exclude = passkeys.map(({ credential }) => credential);
      const names = passkeys.map(({ name }) => name);
      const [challenge, user] = [randomText(32), randomText(16)];
      return { kind: 'create', name: task.name, challenge, user, exclude, names, isRequired };
    }
    if (task.kind === 'remove') return this.#toSign(planChange(vault, 'removed', { credential: task.credential }));
    if (task.kind === 'release') return this.#toSign(planChange(vault, 'released', {}));
    return this.#toSign(planChange(vault, 'required', { recovery: recoveryHash(this.#code) }), this.#code);
  }

  #toSign(planned: PlannedChange, code?: string): PasskeyStep {
    const names = passkeysNow(this.#session.vault).passkeys.map(({ name }) => name);
    return { kind: 'sign', planned, code, names };
  }

  async #created({ name, challenge }: Creating, form: URLSearchParams, answered: AnsweredSheet): Promise<void> {
    const credential = form.get('credential') ?? '';
    const flaw = flawInNew(form, challenge);
    if (flaw !== undefined)
      throw new Refusal('invalid-input', `This passkey cannot be enrolled: ${FLAWS[flaw]}. Nothing was changed.`);
    const { vault } = this.#session;
    const what = { credential, key: form.get('publicKey') ?? '', name };
    const planned = planChange(vault, 'enrolled', what);
    if (planned.question !== undefined) {
      this.step = this.#toSign(planned);
      return;
    }
    await this.#change(planned, { consent: answered.yesToPasskey(planned) });
  }

  async #signed(planned: PlannedChange, form: URLSearchParams): Promise<void> {
    const assertion = assertionIn(form, planned.question);
    if (assertion === undefined) throw new Refusal('needs-passkey', 'This takes a passkey. Nothing was changed.');
    await this.#change(planned, { assertion });
  }

  async #change(planned: PlannedChange, proof: Parameters<typeof changePasskeys>[2]): Promise<void> {
    const { vault, audit } = this.#session;
    const attempt = { channel: 'page', action: `passkey-${this.task.kind}` };
    await audit.runAndRecord(attempt, () => changePasskeys(vault, planned, proof));
    this.step = { kind: 'done', isOnly: passkeysNow(vault).passkeys.length === 1 };
  }
}

function randomText(bytes: number): string {
  return Buffer.from(randomHex(bytes), 'hex').toString('base64url');
}

/** Where the id of a new credential is in authenticator data: after 37 bytes and 16 of the authenticator's kind. */
const ID_LENGTH = 53;

/** What is wrong with a new passkey, as the browser describes it. */
function flawInNew(form: URLSearchParams, challenge: string): Flaw | undefined {
  const bytes = (name: string) => Buffer.from(form.get(name) ?? '', 'base64url');
  const data = bytes('authenticatorData');
  const flaw = flawInClientData(bytes('clientDataJSON'), 'webauthn.create', challenge) ?? flawInAuthenticatorData(data);
  if (flaw !== undefined) return flaw;
  if (data.length < ID_LENGTH + 2) return 'key';
  const from = ID_LENGTH + 2;
  const id = data.subarray(from, from + data.readUInt16BE(ID_LENGTH));
  return id.length > 0 && id.equals(bytes('credential')) ? undefined : 'key';
}
