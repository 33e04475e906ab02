import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../checker/file.ts';
import { differences, uncopied } from '../checker/machines.ts';
import { askDoctor } from '../doctor.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';
import { mendLedgers, trustAll } from './person.ts';
import { hasWorked, syncOf } from './sync.ts';

/** A round carries everything to the remote and the next one everything back; each text is put back once at most. */
const ROUNDS = 8;

/** Clocks are set right, ledgers mended, machines trusted; then all sync until nothing changes, and must agree. */
export async function settle(fleet: Fleet): Promise<void> {
  for (const machine of fleet.machines) {
    machine.setClock(0);
    await syncOf(fleet, machine);
  }
  for (const machine of fleet.machines) await mendLedgers(fleet, machine);
  await trustAll(fleet);
  if (!(await syncedToRest(fleet))) fleet.harm('restless', `after ${ROUNDS} rounds syncs still change something`);
  for (const { seen } of fleet.machines) for (const what of uncopied(seen)) fleet.harm('no copy', what);
  await agree(fleet);
}

async function syncedToRest(fleet: Fleet): Promise<boolean> {
  let before = '';
  for (let round = 0; round < ROUNDS; round++) {
    for (const machine of fleet.machines) await syncOf(fleet, machine);
    const now = fleet.machines.map(snapshot).join(' ');
    if (now === before) return true;
    before = now;
    // What came in may show a ledger's trouble for the first time.
    for (const machine of fleet.machines) await mendLedgers(fleet, machine);
    await trustAll(fleet);
  }
  return false;
}

/** Every shared file and the commit. */
function snapshot({ root }: Machine): string {
  const files = ['memories', 'quarantine', 'ledger'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => !name.startsWith('.'))
      .sort()
      .map((name) => `${folder}/${name} ${sha256(readFileSync(join(root, folder, name)))}`),
  );
  const head = execFileSync('git', ['-C', root, 'rev-parse', 'HEAD'], { encoding: 'utf8' });
  return sha256([...files, head].join('\n'));
}

/** The same files, texts and tiers everywhere, or a machine whose doctor names the memory or a ledger. */
async function agree(fleet: Fleet): Promise<void> {
  for (const machine of fleet.machines) {
    const last = machine.syncs.at(-1);
    if (!hasWorked(last)) fleet.harm('stuck', `${machine.name}: its last sync ends with ${last?.code}: ${last?.said}`);
  }
  const [first, ...others] = fleet.machines as [Machine, ...Machine[]];
  const apart = others.flatMap((other) => differences(first.seen, other.seen));
  if (apart.length === 0) return;
  const named = new Set<string>();
  for (const machine of fleet.machines) {
    const { about, codes } = await askDoctor(machine);
    fleet.note(`${machine.name}: doctor says ${[...codes].join(', ')} about ${[...about].join(', ')}`);
    for (const each of about) named.add(each);
  }
  const isNamed = (id: string) => [...named].some((each) => each.includes(id));
  for (const { id, what } of apart) {
    if (isNamed(id)) fleet.count('disagreements that a machine tells');
    else fleet.harm('apart', what);
  }
}
