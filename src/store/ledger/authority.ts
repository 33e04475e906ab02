import type { KeyObject } from 'node:crypto';
import { publicKeyOf } from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import { raises } from '../../core/ledger/statement.ts';
import type { MachineKey } from './machine-key.ts';
import type { TrustedMachines } from './trusted-machines.ts';

/** Whose word can raise here: this machine's own, and that of machines a person trusts and has not taken off since. */
export class Authority {
  readonly #key: MachineKey;
  readonly #machines: TrustedMachines;

  constructor(key: MachineKey, machines: TrustedMachines) {
    this.#key = key;
    this.#machines = machines;
  }

  isOwn(fingerprint: string): boolean {
    return fingerprint === this.#key.fingerprint;
  }

  /** The key of this machine, or of one on the list; known even where its word does not count. */
  keyOf(fingerprint: string): KeyObject | undefined {
    if (this.isOwn(fingerprint)) return this.#key.verifier;
    const machine = this.#machines.all().get(fingerprint);
    return machine && publicKeyOf(machine.publicKey);
  }

  /**
   * On the list, and this machine's own ledger, which must itself be whole, says last that it is trusted. So an older list
   * brings nobody back, also not while the ledger is damaged that says who was taken off it.
   */
  counts(fingerprint: string, evidence: Evidence): boolean {
    if (this.isOwn(fingerprint)) return true;
    if (this.keyOf(fingerprint) === undefined) return false;
    const own = evidence.of(fingerprint).filter((s) => this.isOwn(s.ledger.fingerprint) && raises(s));
    return own.findLast((s) => s.action === 'trusted' || s.action === 'distrusted')?.action === 'trusted';
  }
}
