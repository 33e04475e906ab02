// Lives a day with each client on the PATH: node scripts/try-clients.ts [--out DIR] [PROGRAM…]
// Real programs in real terminals (tmux), each in an empty home that `surety init` sets up, with a scripted model on loopback
// and a person's keys. It prints what was found; --out keeps the screens.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { TRIED } from './try-clients/clients.ts';
import { Day } from './try-clients/day.ts';
import { startModel } from './try-clients/model.ts';
import { scriptFor } from './try-clients/script.ts';

const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true });

/** The program's file, whatever links lead to it. */
function found(program: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    try {
      return realpathSync(join(folder, program));
    } catch {}
  }
  return undefined;
}

for (const client of TRIED) {
  if (positionals.length > 0 && !positionals.includes(client.program)) continue;
  const program = found(client.program);
  if (program === undefined) {
    process.stdout.write(`${client.name}: NOT TRIED, ${client.program} is not on the PATH\n`);
    continue;
  }
  const model = await startModel(scriptFor(client.shell));
  const day = new Day(client, program, model);
  try {
    await day.live();
  } catch (error) {
    process.exitCode = 1;
    day.found.set('FAILED', error instanceof Error ? error.message : String(error));
  } finally {
    model.close();
    day.end();
  }
  const lines = [...day.found].map(([what, how]) => `  ${what.padEnd(14)} ${how}`);
  process.stdout.write(`${client.name}\n${lines.join('\n')}\n`);
  if (values.out !== undefined) {
    mkdirSync(values.out, { recursive: true });
    writeFileSync(join(values.out, `${client.program}.txt`), day.screens.join(`\n\n${'='.repeat(100)}\n\n`));
    writeFileSync(join(values.out, `${client.program}.sent.json`), `[${model.sent.join(',\n')}]`);
  }
}
