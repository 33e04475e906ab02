import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { sha256 } from '../checker/file.ts';
import type { Seen } from '../checker/machines.ts';
import { Journal } from '../journal.ts';
import type { Surroundings } from '../life.ts';

/** One machine of several that sync: a home, a store and a key of its own, and a clock that can be off. */
export class Machine implements Surroundings {
  readonly name: string;
  readonly main: string;
  readonly home: string;
  readonly root: string;
  readonly ground = { means: 'mounted' } as const;
  readonly ownClock = true;
  readonly during = 'machines';
  readonly journal = new Journal();
  readonly passkey: SoftwareAuthenticator;
  /** Fingerprints of the machines whose word counts here, because a person said so. */
  readonly trusted = new Set<string>();
  /** How its syncs ended, in order; undefined for one that was killed. */
  readonly syncs: (SyncEnd | undefined)[] = [];
  /** Where a copy of its home lies, as it was once. */
  backup: string | undefined;
  #apart = 0;

  constructor(name: string, folder: string, main: string, passkey: SoftwareAuthenticator) {
    this.name = name;
    this.main = main;
    this.passkey = passkey;
    mkdirSync(join(folder, '.config/surety'), { recursive: true, mode: 0o700 });
    this.home = realpathSync(folder);
    this.root = join(this.home, '.surety');
    // Without an observation, so that a person can promote at once.
    writeFileSync(join(this.home, '.config/surety/config.json'), JSON.stringify({ observationDays: 0 }), {
      mode: 0o600,
    });
    this.setClock(0);
  }

  get env(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: this.home, TORTURE_CLOCK: join(this.home, 'clock') };
  }

  /** This machine's folder for this store, as docs/file-format.md says. */
  get state(): string {
    return join(this.home, '.local/state/surety', sha256(this.root).slice(0, 32));
  }

  /** By the public half of the key that this machine has. */
  get own(): string {
    const { publicKey } = JSON.parse(readFileSync(join(this.home, '.config/surety/key.json'), 'utf8'));
    return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex');
  }

  /** What a checker needs to read it. */
  get seen(): Seen {
    const { name, root, state, own, trusted } = this;
    return { name, root, state, own, trusted };
  }

  /** Milliseconds that its clock is apart from the real one. */
  setClock(apart: number): void {
    this.#apart = apart;
    writeFileSync(join(this.home, 'clock'), String(apart));
  }

  now(): number {
    return Date.now() + this.#apart;
  }

  hear(log: string): void {
    this.journal.hear(log);
  }
}

/** How a sync ended, by its exit code and its own words. */
export interface SyncEnd {
  readonly code: number | null;
  readonly said: string;
  readonly notices: readonly string[];
}
