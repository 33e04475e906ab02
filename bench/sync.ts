// npm run bench:sync [-- --machines 2,5,10] [--memories 10000]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectStore } from '../src/actions/connect.ts';
import type { Session } from '../src/actions/session.ts';
import { sync } from '../src/actions/sync.ts';
import { AuditLog } from '../src/store/audit-log.ts';
import { resolvePlaces } from '../src/store/layout.ts';
import { openVault } from '../src/store/open.ts';
import { reconcile } from '../src/store/reconcile.ts';

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '2,5,10' },
    memories: { type: 'string', default: '10000' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const memories = Number(values.memories);

/** One computer: a home of its own, and a store that syncs with the remote. */
async function machine(folder: string, name: string, remote: string): Promise<Session> {
  const home = join(folder, name);
  mkdirSync(home);
  const places = resolvePlaces({ env: {}, home, account: home, platform: 'linux' });
  const vault = await openVault(places, { machine: { name, identity: name }, complain: () => {} });
  await connectStore(vault, remote);
  const audit = new AuditLog(
    join(places.state, 'audit.ndjson'),
    () => new Date(),
    () => {},
  );
  return { vault, audit, proposals: 0 };
}

async function timed(session: Session): Promise<number> {
  const begun = performance.now();
  await reconcile(session.vault);
  const { code, said } = await sync(session);
  if (code !== 0) throw new Error(`sync came to ${code}: ${said}`);
  return (performance.now() - begun) / 1000;
}

function memory(i: number): string {
  return `---\nname: Memory ${i}\ndescription: What is known about number ${i}\ntype: project\ntrust-level: inferred\n---\n\nNumber ${i} is built with two cores, because more of them wait for the disk anyway.\n`;
}

async function measure(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  try {
    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
    const fleet: Session[] = [];
    for (let i = 0; i < count; i++) fleet.push(await machine(folder, `machine${i}`, remote));
    const [first, ...others] = fleet as [Session, ...Session[]];
    for (let i = 0; i < memories; i++)
      writeFileSync(join(first.vault.parts.places.memories, `project_memory_${i}.md`), memory(i));
    await reconcile(first.vault);
    const sent = await timed(first);
    const joined: number[] = [];
    for (const other of others) joined.push(await timed(other));
    await timed(first);
    const idle = await timed(first);
    writeFileSync(join(first.vault.parts.places.memories, 'project_news.md'), memory(memories));
    const one = await timed(first);
    const received = await timed(others[0] ?? first);
    const size = execFileSync('du', ['-sk', remote], { encoding: 'utf8' }).split('\t')[0];
    const seconds = (value: number) => value.toFixed(1).padStart(8);
    say(
      `${String(count).padStart(8)}${seconds(sent)}${seconds(joined[0] ?? 0)}${seconds(joined.at(-1) ?? 0)}${seconds(idle)}${seconds(one)}${seconds(received)}${(Number(size) / 1024).toFixed(0).padStart(8)}`,
    );
    for (const { vault } of fleet) vault.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

say(`${memories} memories; seconds, and MB of the remote`);
say('machines    send    join  last    idle     one received  remote');
for (const count of values.machines.split(',').map(Number)) await measure(count);
