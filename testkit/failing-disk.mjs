// Loaded into the real program with NODE_OPTIONS: a disk on which nothing new can be written, or renamed, below one folder.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { FAILING_DISK: code, FAILING_FOLDER: folder, FAILING_STEP: step, FAILING_UNTIL: until } = process.env;
const { openSync, renameSync } = fs;
function refuse(path) {
  if (until && fs.existsSync(until)) return;
  if (String(path).startsWith(`${folder}/`)) throw Object.assign(new Error(code), { code });
}
fs.openSync = (path, flags, mode) => {
  const writes = typeof flags === 'number' && (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
  if (step === 'write' && writes) refuse(path);
  return openSync(path, flags, mode);
};
fs.renameSync = (from, to) => {
  if (step === 'rename') refuse(to);
  return renameSync(from, to);
};
syncBuiltinESMExports();
