import { join } from 'node:path';
import { fingerprintOf } from '../../core/ledger/entry.ts';
import type { Disk } from '../disk/disk.ts';
import type { MachineKey } from './machine-key.ts';
import { SignedFile } from './signed-file.ts';

/** A machine whose word the operator lets count here. */
export interface TrustedMachine {
  readonly name: string;
  readonly publicKey: string;
  readonly trustedAt: string;
  readonly channel: string;
  readonly level: number;
}

/** The list of trusted machines and the operator's names for machines, signed by this one: an agent that edits the file makes it void, not longer. */
export class TrustedMachines {
  readonly #file: SignedFile<{
    readonly machines: readonly TrustedMachine[];
    readonly names?: Readonly<Record<string, string>>;
  }>;
  readonly #path: string;
  readonly #disk: Disk;

  constructor(configFolder: string, disk: Disk, key: MachineKey) {
    this.#path = join(configFolder, 'machines.json');
    this.#disk = disk;
    this.#file = new SignedFile(this.#path, 'machines', disk, key);
  }

  /** By fingerprint. */
  all(): ReadonlyMap<string, TrustedMachine> {
    const machines = this.#file.read()?.machines ?? [];
    return new Map(machines.map((machine) => [fingerprintOf(machine.publicKey), machine]));
  }

  /** The file's path where it is there and void: somebody else wrote it, or this machine has another key now. */
  voidPath(): string | undefined {
    return this.#disk.exists(this.#path) && this.#file.read() === undefined ? this.#path : undefined;
  }

  /** Callers have a person's yes for it (`Ledgers.trust`). */
  add(machine: TrustedMachine): void {
    const others = [...this.all().values()].filter((m) => m.publicKey !== machine.publicKey);
    this.#write([...others, machine]);
  }

  /** Lowers at once; needs nobody's yes. */
  remove(fingerprint: string): void {
    this.#write([...this.all()].filter(([key]) => key !== fingerprint).map(([, machine]) => machine));
  }

  /** What the operator calls a machine, trusted or not. */
  nameOf(fingerprint: string): string | undefined {
    return this.#names()[fingerprint];
  }

  /** Means nothing for trust. */
  name(fingerprint: string, name: string): void {
    this.#file.write({ machines: [...this.all().values()], names: { ...this.#names(), [fingerprint]: name } });
  }

  #names(): Readonly<Record<string, string>> {
    return this.#file.read()?.names ?? {};
  }

  #write(machines: readonly TrustedMachine[]): void {
    this.#file.write({ machines, names: this.#names() });
  }
}
