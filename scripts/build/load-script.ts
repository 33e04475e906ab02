// Loads the program in the bundle, where build.ts has put it into scripts; in the sources main.ts imports its modules. It asks for
// Node's modules late, because an old Node cannot be asked like this and is told so first.
import type { Script } from 'node:vm';

/** The script that each module is in, by the module's name; as JSON, since esbuild would make an object a file of its own. */
declare const BUILT_PARTS: string;

type Parts = Readonly<Record<string, () => unknown>>;

/**
 * One process in eight looks, because looking takes 5 ms; if it has compiled a third more than was kept, it keeps that.
 */
const LOOKS = 1 / 8;
const MORE = 1.3;

const loaded = new Map<string, Parts>();

/** What a module of the program exports. */
export function part(name: string): unknown {
  const file: string = JSON.parse(BUILT_PARTS)[name];
  const parts = loaded.get(file) ?? run(file, name);
  loaded.set(file, parts);
  return parts[name]?.();
}

/**
 * Has V8 take from the folder `compiled`, beside the program, what it compiled before, and puts it there when the process ends. Node
 * would do that by itself, but keeps no function that was compiled when it was first called.
 */
function run(file: string, use: string): Parts {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const { Script } = process.getBuiltinModule('node:vm');
  const { cachedDataVersionTag } = process.getBuiltinModule('node:v8');
  const { dirname, url } = import.meta;
  const filename = `${dirname}/${file}`;
  // V8's tag does not tell two builds of one V8 apart, as two versions of Node have them.
  const kept = `${dirname}/compiled/${file}-${use.replaceAll('/', '-')}-${process.version}-${process.arch}-${cachedDataVersionTag()}`;
  const cachedData = readKept(kept);
  const script = new Script(readFileSync(filename, 'latin1'), { filename, ...(cachedData && { cachedData }) });
  if (!process.env.NODE_DISABLE_COMPILE_CACHE) {
    if (cachedData === undefined || script.cachedDataRejected) process.on('exit', () => keep(script, filename, kept));
    else if (Math.random() < LOOKS) keepIfMore(script, filename, kept);
  }
  const module = { exports: {} as Parts };
  script.runInThisContext()(process.getBuiltinModule, module, { url, dirname });
  return module.exports;
}

/** What V8 compiled, behind its checksum: V8 looks for no damage inside, and half of the files with three wrong bits end the process. */
const SUM_BYTES = 4;

/** Undefined where nothing was kept, or it is damaged. */
function readKept(path: string): Buffer | undefined {
  try {
    const bytes = process.getBuiltinModule('node:fs').readFileSync(path);
    const cachedData = bytes.subarray(SUM_BYTES);
    return bytes.readUInt32LE() === process.getBuiltinModule('node:zlib').crc32(cachedData) ? cachedData : undefined;
  } catch {
    return undefined;
  }
}

function keepIfMore(script: Script, filename: string, path: string): void {
  const { getHeapCodeStatistics } = process.getBuiltinModule('node:v8');
  const size = () => getHeapCodeStatistics().bytecode_and_metadata_size;
  const before = size();
  process.on('exit', () => {
    if (size() > before * MORE) keep(script, filename, path);
  });
}

/** Who can write there can have this program run their code, so nobody else may, whatever the umask is. */
const MODES = { folder: 0o755, file: 0o644 } as const;

/** By then whoever began to write it was killed, as clients kill a server that takes long to end. */
const ABANDONED_MS = 60_000;

/** A file is on the disk as a whole before it has its name. Where nobody can write, or an update took the script away, nothing is kept. */
function keep(script: Script, filename: string, path: string): void {
  const { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const unfinished = `${path}.unfinished`;
  if (!existsSync(filename)) return;
  try {
    const folder = `${import.meta.dirname}/compiled`;
    if (!existsSync(folder)) mkdirSync(folder, { mode: MODES.folder });
    const begun = statSync(unfinished, { throwIfNoEntry: false });
    if (begun !== undefined && Date.now() - begun.mtimeMs > ABANDONED_MS) rmSync(unfinished);
    writeFileSync(unfinished, '', { flag: 'wx', mode: MODES.file });
  } catch {
    return;
  }
  try {
    const cachedData = script.createCachedData();
    const sum = Buffer.alloc(SUM_BYTES);
    sum.writeUInt32LE(process.getBuiltinModule('node:zlib').crc32(cachedData));
    writeFileSync(unfinished, Buffer.concat([sum, cachedData]), { flush: true });
    renameSync(unfinished, path);
  } catch {
    rmSync(unfinished, { force: true });
  }
}
