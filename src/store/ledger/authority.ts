import type { KeyObject } from 'node:crypto';
import { publicKeyOf } from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import { raises } from '../../core/ledger/statement.ts';
import type { MachineKey } from './machine-key.ts';
import type { TrustedMachines } from './trusted-machines.ts';

/**
 * Decides which ledgers can raise here: this machine's own, and those of machines that a person trusts and has not
 * removed since.
 */
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

  /** The key of this machine or of a listed one. It is known even if that machine does not count here. */
  keyOf(fingerprint: string): KeyObject | undefined {
    if (this.isOwn(fingerprint)) return this.#key.verifier;
    const machine = this.#machines.all().get(fingerprint);
    return machine && publicKeyOf(machine.publicKey);
  }

  /**
   * Whether the machine counts here. It must be on the list, and this machine's own whole ledger must say last that it
   * is trusted. So an older list brings no removed machine back, even while the ledger that records the removal is
   * damaged.
   */
  counts(fingerprint: string, evidence: Evidence): boolean {
    if (this.isOwn(fingerprint)) return true;
    if (this.keyOf(fingerprint) === undefined) return false;
    const own = evidence.of(fingerprint).filter((s) => this.isOwn(s.ledger.fingerprint) && raises(s));
    return own.findLast((s) => s.action === 'trusted' || s.action === 'distrusted')?.action === 'trusted';
  }
}
