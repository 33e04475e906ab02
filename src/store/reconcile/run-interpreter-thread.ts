import { parentPort, workerData } from 'node:worker_threads';
import { checksFor } from '../../core/checks/all.ts';
import { interpret } from '../format/interpret.ts';
import { ParseCache } from '../index/parse-cache.ts';
import { type Interpreter, type PackedFiles, packed, unpacked } from './interpreter-thread.ts';

// What the thread of `InterpreterThread` runs. It has no disk, no ledger and no index: it gets bytes and returns sealed readings.

const { secrets, settings }: Interpreter = workerData;
const checks = checksFor(settings);
const parseCache = new ParseCache(secrets);

parentPort?.on('message', (files: PackedFiles) => {
  const readings = unpacked(files).map(([stem, bytes]) => ({
    stem,
    bytes: parseCache.seal(stem, bytes, interpret(stem, bytes, checks)) ?? Buffer.alloc(0),
  }));
  const answer = packed(readings);
  parentPort?.postMessage(answer, [answer.bytes.buffer]);
});
