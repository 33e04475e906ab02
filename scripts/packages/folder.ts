import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Facts, ROOT } from './facts.ts';
import { manifestFor } from './manifest.ts';

/** The only package that the bundle loads while it runs, because it is native. */
const NATIVE = 'better-sqlite3';
/** Its sources are left out: it brings built files for every platform. */
const NATIVE_PARTS = ['package.json', 'LICENSE', 'lib', 'prebuilds'];

export function write(folder: string, name: string, content: string | Buffer | object): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const isText = typeof content === 'string' || Buffer.isBuffer(content);
  writeFileSync(path, isText ? content : `${JSON.stringify(content, null, 2)}\n`);
}

/** The program with everything it needs besides Node, for clients that copy a folder and install nothing. */
export function writeProgram(folder: string, facts: Facts, built: string): void {
  cpSync(built, join(folder, 'dist'), { recursive: true });
  for (const part of NATIVE_PARTS) {
    const from = join(ROOT, 'node_modules', NATIVE, part);
    cpSync(from, join(folder, 'node_modules', NATIVE, part), { recursive: true });
  }
  write(folder, 'package.json', { ...manifestFor(facts), private: true });
  for (const name of ['LICENSE', 'README.md']) cpSync(join(ROOT, name), join(folder, name));
}
