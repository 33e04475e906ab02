import { join } from 'node:path';
import { checksFor } from '../core/checks/all.ts';
import type { Check } from '../core/checks/inspect.ts';
import { once } from '../core/once.ts';
import { Refusal } from '../core/refusal.ts';
import { noticeFor } from '../core/text/display-width.ts';
import { Disk } from './disk/disk.ts';
import { asDiskRefusal } from './disk/disk-errors.ts';
import { shownPath } from './disk/display-path.ts';
import { Lock } from './disk/lock.ts';
import { ownRulesVersion, rulesVersion } from './format/rules-version.ts';
import { cacheSecrets, ParseCache } from './index/parse-cache.ts';
import { SearchIndex } from './index/search-index.ts';
import { KeptCopies } from './ledger/kept-copies.ts';
import { LedgerCache } from './ledger/ledger-cache.ts';
import { Ledgers } from './ledger/ledgers.ts';
import { lostKey } from './ledger/lost-key.ts';
import { existingKey, KEY_FILE, type MachineKey, machineKey, standInKey } from './ledger/machine-key.ts';
import { RememberedHeads } from './ledger/remembered-heads.ts';
import { TrustedMachines } from './ledger/trusted-machines.ts';
import { putKeyAside } from './maintenance/folder-health.ts';
import { type Machine, thisMachine } from './places/host.ts';
import { createStore, type Places } from './places/places.ts';
import { initOnce, refuseMissing } from './places/refuse-root.ts';
import { readSettings, type Settings } from './places/settings.ts';
import { reconcile, updateIndex } from './reconcile/reconcile.ts';
import { insideOf } from './vault/inside-of-vault.ts';
import { ledgerDraft } from './vault/ledger-entries.ts';
import { Vault } from './vault/vault.ts';
import type { VaultParts } from './vault/vault-parts.ts';
import { VouchedTexts } from './vault/vouched-texts.ts';

/** What the world gives a vault. Tests give their own; the shipped program gives the real ones and nothing else can. */
export interface World {
  readonly disk?: Disk;
  readonly machine?: Machine;
  readonly now?: () => number;
  readonly checks?: readonly Check[];
  readonly rules?: string;
  readonly complain?: (line: string) => void;
  readonly lockWait?: number;
}

/** Opens the store at `places`, creating it and this machine's key where they are missing. */
export async function openVault(places: Places, world: World = {}): Promise<Vault> {
  try {
    return await open(places, world);
  } catch (error) {
    throw asDiskRefusal(error);
  }
}

/**
 * Opens a store that is there, to look at it. Nothing is created or changed but the index, which is kept in memory where
 * the disk does not take one; so it works on a disk that is full or cannot be written.
 */
export function openToLook(places: Places, world: World): Vault {
  const disk = world.disk ?? new Disk();
  refuseMissing(places, disk);
  const machine = world.machine ?? machineOf(places);
  const key = keyToLookWith(places, disk, machine);
  if (key === undefined) {
    throw new Refusal(
      'no-store',
      `This machine has no key yet for the store ${shownPath(places.root)}. Run ${initOnce(places)}, then try again.`,
    );
  }
  return assemble(places, disk, key, world);
}

async function open(places: Places, world: World): Promise<Vault> {
  const disk = world.disk ?? new Disk();
  createStore(places, disk);
  disk.makeFolder(join(places.state, 'ledgers'));
  return assemble(places, disk, await keyOf(places, disk, world.machine ?? machineOf(places)), world);
}

function assemble(places: Places, disk: Disk, key: MachineKey, world: World): Vault {
  const complain = world.complain ?? ((line) => process.stderr.write(`${noticeFor(process.stderr, line)}\n`));
  const now = world.now ?? Date.now;
  const { settings, warnings } = readSettings(places.config, disk);
  const checks = once(() => world.checks ?? checksFor(settings));
  // What a passkey signed outweighs what a file says: no setting takes less than a passkey where one is required.
  const required: Settings = { ...settings, minimumAssurance: 4 };
  const inForce = {
    settings: () => (ledgers.evidence.passkeys()?.isRequired ? required : settings),
    configured: settings,
    checks,
    rules: world.rules ?? (world.checks === undefined ? ownRulesVersion(checks) : rulesVersion(world.checks)),
  };
  const machines = new TrustedMachines(places.config, disk, key);
  const kept = new KeptCopies(places.state, disk);
  const ledgers: Ledgers = new Ledgers({
    places,
    disk,
    key,
    heads: new RememberedHeads(places, disk, key),
    machines,
    kept,
    cache: new LedgerCache(places.cache, disk, key),
    note: (action, fingerprint, by) => ledgerDraft(inForce, action, fingerprint, by),
    now,
    complain,
  });
  const secrets = cacheSecrets(key, inForce.rules, settings);
  for (const warning of warnings) complain(`surety: ${warning}`);
  const parts: VaultParts = {
    places,
    disk,
    key,
    ledgers,
    machines,
    kept,
    vouched: new VouchedTexts(places.state, disk),
    index: new SearchIndex(places.cache, inForce.rules, disk, complain),
    parseCache: new ParseCache(secrets),
    // Another thread has the program's own checks and no others.
    interpreter: world.checks === undefined ? { secrets, settings } : undefined,
    lock: new Lock(places.guard, world.lockWait),
    ...inForce,
    now,
    complain,
  };
  return new Vault(parts, { reconcile, updateIndex });
}

function machineOf({ state }: Places): Machine {
  return thisMachine({ cache: join(state, 'machine-id') });
}

/** The key, or one that stands in for it where it is lost or cannot be used; undefined where there never was one. */
function keyToLookWith(places: Places, disk: Disk, machine: Machine): MachineKey | undefined {
  try {
    const key = existingKey(places.config, disk, machine);
    if (key !== undefined) return key;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'key-unusable') throw error;
    return standInKey(machine, error);
  }
  const lost = lostKey(places, disk, machine);
  return lost && standInKey(machine, lost);
}

/** Two processes that start at once must end up with one key. None is made where this machine had one. */
async function keyOf(places: Places, disk: Disk, machine: Machine): Promise<MachineKey> {
  if (disk.exists(join(places.config, KEY_FILE))) {
    return keyToLookWith(places, disk, machine) ?? machineKey(places.config, disk, machine);
  }
  const lock = new Lock(places.config);
  try {
    return await lock.hold(() => keyToLookWith(places, disk, machine) ?? machineKey(places.config, disk, machine));
  } finally {
    lock.close();
  }
}

/** Whether there is a file where the key belongs, whatever is in it. */
export function isKeyThere({ config }: Places): boolean {
  return new Disk().exists(join(config, KEY_FILE));
}

/** Makes a new key for this machine, after a person said that the old one is given up; it is put aside where it is there. */
export async function takeOver(places: Places): Promise<void> {
  const disk = new Disk();
  const lock = new Lock(places.config);
  try {
    disk.makeFolder(places.config);
    await lock.hold(() => {
      putKeyAside(places);
      machineKey(places.config, disk, machineOf(places));
    });
  } finally {
    lock.close();
  }
  try {
    await recordLost(places);
  } catch (error) {
    // So that it can be tried again: it is recorded only once.
    disk.remove(join(places.config, KEY_FILE));
    throw error;
  }
}

/** What the old ledger requires stays required. */
async function recordLost(places: Places): Promise<void> {
  const vault = await openVault(places, { complain: () => {} });
  try {
    await vault.exclusively(() => insideOf(vault).ledgers.recordLost());
  } finally {
    vault.close();
  }
}
