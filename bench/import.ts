// npm run bench:import [-- --files 10000]: what importing costs a file, as the store grows
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openImport, take } from '../src/actions/exchange/import.ts';
import { auditOf } from '../src/actions/session.ts';
import { openVault } from '../src/store/open-vault.ts';
import { resolvePlaces } from '../src/store/places/places.ts';

const { values } = parseArgs({ options: { files: { type: 'string', default: '10000' } } });
const files = Number(values.files);
const PORTION = Math.max(1, Math.round(files / 10));
const say = (line: string) => process.stdout.write(`${line}\n`);

const home = mkdtempSync(join(tmpdir(), 'surety-bench-'));
try {
  const source = join(home, 'elsewhere');
  mkdirSync(source);
  for (let i = 0; i < files; i++) {
    const body = `What is known about thing ${i}: the number ${i * 7919} matters, and so does the word w${i * 31337}.`;
    const text = `---\nname: Thing ${i}\ndescription: About thing ${i}\ntype: user\n---\n${body}\n`;
    writeFileSync(join(source, `user_thing_${i}.md`), text);
  }
  const places = resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform });
  const vault = await openVault(places);
  const audit = auditOf(places, () => {});
  const session = { vault, audit, proposals: 0 };
  say('      files   ms a file   CPU ms a file   resident MB');
  let [done, wall, cpu] = [0, performance.now(), process.cpuUsage()];
  for (const piece of openImport(session, source, undefined).pieces()) {
    if ('arrival' in piece) await take(session, piece.arrival);
    if (++done % PORTION !== 0) continue;
    const spent = process.cpuUsage(cpu);
    const figures = [
      ((performance.now() - wall) / PORTION).toFixed(2).padStart(12),
      ((spent.user + spent.system) / 1000 / PORTION).toFixed(2).padStart(16),
      (process.memoryUsage.rss() / 1e6).toFixed(0).padStart(14),
    ];
    say(`${String(done).padStart(11)}${figures.join('')}`);
    [wall, cpu] = [performance.now(), process.cpuUsage()];
  }
  vault.close();
} finally {
  rmSync(home, { recursive: true, force: true });
}
