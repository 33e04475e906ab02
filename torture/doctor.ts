import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { preloads, type Surroundings } from './life.ts';

/** Everything that `surety doctor` has something to say about, and what it ends with. */
export async function askDoctor(
  where: Surroundings,
): Promise<{ code: number; codes: ReadonlySet<string>; about: ReadonlySet<string> }> {
  const args = [...preloads(where), where.main, 'doctor', '--json'];
  const { stdout, code = 0 } = await promisify(execFile)(process.execPath, args, {
    cwd: where.home,
    env: where.env,
  }).then(
    (done): { stdout: string; code?: number } => done,
    (failed) => failed as { stdout: string; code: number },
  );
  const { findings } = JSON.parse(stdout) as { findings: { code: string; about: string[] }[] };
  const names = findings.flatMap(({ about }) => about.map((name) => name.replace(/ \((?:verified|inferred)\)$/, '')));
  return { code, codes: new Set(findings.map((each) => each.code)), about: new Set(names) };
}
