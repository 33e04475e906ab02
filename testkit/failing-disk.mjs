// Loaded into the real program with NODE_OPTIONS: a disk on which nothing new can be written below one folder.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { FAILING_DISK: code, FAILING_FOLDER: folder } = process.env;
const open = fs.openSync;
fs.openSync = (path, flags, mode) => {
  const writes = typeof flags === 'number' && (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
  if (writes && String(path).startsWith(`${folder}/`)) throw Object.assign(new Error(code), { code });
  return open(path, flags, mode);
};
syncBuiltinESMExports();
