// node --import torture/injected.ts dist/main.js: while the file named by TORTURE_FAULT exists, writing below the folder it
// names fails as on a full or a read-only disk. Only for machines where nothing can be mounted; SQLite does not see it.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env.TORTURE_FAULT ?? '';
const { openSync, mkdirSync, renameSync, writeFileSync, readFileSync } = fs;
const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT;

function refuse(path: unknown, needsRoom: boolean): void {
  let fault: { code: string; below: string };
  try {
    fault = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return;
  }
  if (fault.code === 'ENOSPC' && !needsRoom) return;
  if (typeof path === 'string' && !path.startsWith(fault.below)) return;
  throw Object.assign(new Error(`${fault.code}: injected`), { code: fault.code });
}

fs.openSync = (path, flags, mode) => {
  if (typeof flags === 'number' && (flags & WRITING) !== 0) refuse(path, true);
  return openSync(path, flags, mode);
};
fs.writeFileSync = (path, data, options) => {
  // A full disk takes half of what it is given.
  try {
    refuse(path, true);
  } catch (error) {
    if (typeof path === 'number') writeFileSync(path, String(data).slice(0, String(data).length / 2));
    throw error;
  }
  writeFileSync(path, data, options);
};
fs.renameSync = (from, to) => {
  refuse(to, false);
  renameSync(from, to);
};
fs.mkdirSync = ((path: fs.PathLike, options?: fs.MakeDirectoryOptions) => {
  refuse(path, true);
  return mkdirSync(path, options);
}) as typeof fs.mkdirSync;
syncBuiltinESMExports();
