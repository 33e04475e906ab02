import { basename, join } from 'node:path';
import { checksFor } from '../../core/checks/all.ts';
import { type Check, inspect, overallCode, type VerdictCode, verdictCode } from '../../core/checks/inspect.ts';
import { notLookedFor } from '../../core/checks/personal.ts';
import type { Finding } from '../../core/finding.ts';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { Disk, type FolderEntry } from '../../store/disk/disk.ts';
import { read } from '../../store/format/format.ts';
import { isMemoryFile } from '../../store/places/places.ts';
import { readSettings } from '../../store/places/settings.ts';
import { placesForRoot } from '../places-for-root.ts';

export interface Checked {
  /** The path as given or found; a possible secret in it is hidden. */
  readonly path: string;
  readonly code: VerdictCode;
  readonly findings: readonly Finding[];
}

interface CheckReport {
  readonly files: readonly Checked[];
  readonly code: VerdictCode;
  /** Checks that were skipped because a setting is missing; they affect no verdict. */
  readonly notices: readonly string[];
}

const MOST_FILES = 20_000;

const UNREAD: Readonly<Record<string, string>> = {
  absent: 'There is no such file.',
  'too-large': `The file is larger than ${LIMITS_OF_A_FILE.bytes} bytes.`,
  'hard-link': 'The file has a second name; what it says can change under it.',
};

/**
 * Runs every check on the given files, and on every `.md` file in given folders. Opens no store and changes nothing;
 * the operator's settings apply.
 */
export function checkFiles(root: string | undefined, paths: readonly string[]): CheckReport {
  const disk = new Disk();
  const { settings } = readSettings(placesForRoot(root).config, disk);
  const checks = checksFor(settings);
  const notices = notLookedFor(settings.owner);
  const folders = paths.some((path) => disk.isFolder(path));
  const files = paths
    .flatMap((path) => (disk.isFolder(path) ? filesIn(disk, path) : [path]))
    .map((path) => checkFile(disk, path, checks));
  const codes = files.map(({ code }) => code);
  return { files, code: files.length === 1 && !folders ? (codes[0] ?? 0) : overallCode(codes), notices };
}

function filesIn(disk: Disk, folder: string): string[] {
  const found: string[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && found.length < MOST_FILES; next = waiting.pop()) {
    for (const name of disk.names(next).sort()) {
      const path = join(next, name);
      if (name.startsWith('.')) continue;
      if (disk.isFolder(path)) waiting.push(path);
      else if (isMemoryFile(name)) found.push(path);
    }
  }
  return found;
}

function checkFile(disk: Disk, path: string, checks: readonly Check[]): Checked {
  const entry = disk.read(path, LIMITS_OF_A_FILE.bytes);
  const findings = entry.kind === 'file' ? inspected(path, entry.bytes, checks) : [unread(entry)];
  return { path: maskSecrets(path), code: verdictCode(findings), findings };
}

function inspected(path: string, bytes: Buffer, checks: readonly Check[]): readonly Finding[] {
  return inspect(subjectOf(basename(path, '.md'), read(bytes), 'found', bytes), checks).findings;
}

function unread(entry: Exclude<FolderEntry, { kind: 'file' }>): Finding {
  const why = entry.kind === 'absent' ? 'absent' : entry.why;
  const message = UNREAD[why] ?? 'It is not a regular file that can be read.';
  return { class: 'structure', rule: 'file-unreadable', severity: 'block', field: 'file', line: 1, message };
}
