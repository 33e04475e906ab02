import { join } from 'node:path';
import { fingerprintOf } from '../../core/ledger/entry.ts';
import type { Disk } from '../disk/disk.ts';
import type { MachineKey } from './machine-key.ts';
import { SignedFile } from './signed-file.ts';

/** A machine that the operator lets count here. */
interface TrustedMachine {
  readonly name: string;
  readonly publicKey: string;
  readonly trustedAt: string;
  readonly channel: string;
  readonly level: number;
}

/**
 * The list of trusted machines and the operator's names for machines. This machine signs it, so an agent that edits the
 * file makes it void, not longer.
 */
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

  /** The file's path if the file exists and is void: another program wrote it, or this machine has a new key. */
  voidPath(): string | undefined {
    return this.#disk.exists(this.#path) && this.#file.read() === undefined ? this.#path : undefined;
  }

  /** The caller has a person's yes for it (`Ledgers.trust`). */
  add(machine: TrustedMachine): void {
    const others = [...this.all().values()].filter((m) => m.publicKey !== machine.publicKey);
    this.#write([...others, machine]);
  }

  /** Lowers at once, so it needs no yes. The machine keeps the name it was trusted under: the person knows it by that. */
  remove(fingerprint: string): void {
    const machines = [...this.all()].filter(([key]) => key !== fingerprint).map(([, machine]) => machine);
    const name = this.nameOf(fingerprint) ?? this.all().get(fingerprint)?.name;
    this.#file.write({ machines, names: { ...this.#names(), ...(name !== undefined && { [fingerprint]: name }) } });
  }

  /** The operator's name for a machine, trusted or not. */
  nameOf(fingerprint: string): string | undefined {
    return this.#names()[fingerprint];
  }

  /** The name has no effect on trust. */
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
