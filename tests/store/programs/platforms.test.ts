import { linkSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { whyNobody } from '../../../src/cli/ask/witness.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { openUnlinked } from '../../../src/store/disk/open-unlinked.ts';
import { rightsUnread } from '../../../src/store/maintenance/folder-health.ts';
import { resolvePlaces } from '../../../src/store/places/places.ts';
import { type ProgramSystem, programOnPath, windowsProgram } from '../../../src/store/places/system-programs.ts';
import { browserOpener } from '../../../src/store/programs/browser.ts';
import { isInstalled } from '../../../src/store/programs/client-files.ts';
import { editorCommand, usualEditors } from '../../../src/store/programs/editor-command.ts';
import { ROOT } from '../../../testkit/program.ts';
import { placesIn, temporaryFolder } from '../../../testkit/store.ts';

// Systems that do not run here, by what Surety would do on them.

const REPOSITORY = 'C:\\work\\repository';
function windows(programs: readonly string[], env: NodeJS.ProcessEnv = {}): ProgramSystem {
  const has = new Set(programs.map((path) => path.toLowerCase()));
  return {
    platform: 'win32',
    env: { SystemRoot: 'C:\\WINDOWS', Path: `.;${REPOSITORY}\\node_modules\\.bin;C:\\tools;C:\\Code\\bin`, ...env },
    cwd: REPOSITORY,
    home: 'C:\\Users\\me',
    isProgram: (path) => has.has(path.toLowerCase()),
  };
}
const FILE = 'C:\\Users\\me\\AppData\\Local\\surety\\a b\\user_x.md';

test('a program in the repository is never started on Windows, by a bare name, a relative entry or npm’s own', () => {
  const planted = [`${REPOSITORY}\\git.exe`, `${REPOSITORY}\\node_modules\\.bin\\git.exe`];
  expect(programOnPath('git', windows(planted))).toBeUndefined();
  expect(programOnPath('git', windows([...planted, 'C:\\tools\\git.exe']))).toBe('C:\\tools\\git.exe');
});

test('a client that only the repository brings along is not installed', () => {
  const vitest = { program: 'vitest', folder: { home: '.vitest' }, files: [] };
  const PATH = join(ROOT, 'node_modules/.bin');
  expect(isInstalled(vitest, { home: temporaryFolder(), env: { PATH } })).toBe(false);
});

test('programs of the system are started by their path', () => {
  expect(windowsProgram('reg.exe', windows([]))).toBe('C:\\WINDOWS\\System32\\reg.exe');
  expect(browserOpener(windows([]))).toEqual(['C:\\WINDOWS\\System32\\rundll32.exe', 'url.dll,FileProtocolHandler']);
  expect(browserOpener({ ...windows([]), platform: 'darwin' })).toEqual(['/usr/bin/open']);
  expect(usualEditors(FILE, windows([]))).toEqual([{ program: 'C:\\WINDOWS\\System32\\notepad.exe', args: [FILE] }]);
});

test.each([`${REPOSITORY}`, 'C:\\a\\b', '\\\\server\\share', 'Windows', ''])(
  'a system folder of %s is not believed',
  (SystemRoot) => {
    expect(windowsProgram('reg.exe', windows([], { SystemRoot }))).toBe('C:\\Windows\\System32\\reg.exe');
  },
);

test('xdg-open comes from an absolute entry of PATH that is not below the working folder', () => {
  const [repository, tools] = [temporaryFolder(), temporaryFolder()];
  const system = (PATH: string, home = '/home/me'): ProgramSystem => ({
    platform: 'linux',
    env: { PATH },
    cwd: repository,
    home,
    isProgram: (path) => [`${repository}/bin/xdg-open`, `${tools}/xdg-open`, 'xdg-open', 'bin/xdg-open'].includes(path),
  });
  expect(browserOpener(system(`:.:bin:${repository}/bin`))).toBeUndefined();
  expect(browserOpener(system(`${repository}/bin:${tools}`))).toEqual([`${tools}/xdg-open`]);
  // A person at home has programs of their own there.
  expect(browserOpener(system(`${repository}/bin`, repository))).toEqual([`${repository}/bin/xdg-open`]);
});

test.each([
  ['code --wait', ['C:\\Code\\bin\\code.exe'], 'C:\\Code\\bin\\code.exe', ['--wait', FILE]],
  [
    '"C:\\Program Files\\Vim\\vim.exe" -f',
    ['C:\\Program Files\\Vim\\vim.exe'],
    'C:\\Program Files\\Vim\\vim.exe',
    ['-f', FILE],
  ],
  ["'C:/Program Files/Vim/vim.exe' -f", ['C:/Program Files/Vim/vim.exe'], 'C:/Program Files/Vim/vim.exe', ['-f', FILE]],
  ['C:\\Program Files\\Vim\\vim.exe', ['C:\\Program Files\\Vim\\vim.exe'], 'C:\\Program Files\\Vim\\vim.exe', [FILE]],
  ["C:\\O'Brien\\vim.exe -f", ["C:\\O'Brien\\vim.exe"], "C:\\O'Brien\\vim.exe", ['-f', FILE]],
] as const)('EDITOR=%s is read in words and quotes on Windows', (named, programs, program, args) => {
  expect(editorCommand(named, FILE, windows(programs))).toEqual({ program, args });
});

test('an editor that is a script, as code is, is started by the interpreter; the file’s name is no part of the line', () => {
  const command = editorCommand('code --wait', FILE, windows([`${REPOSITORY}\\code.cmd`, 'C:\\Code\\bin\\code.cmd']));
  expect(command).toEqual({
    program: 'C:\\WINDOWS\\System32\\cmd.exe',
    args: ['/d', '/s', '/c', '""C:\\Code\\bin\\code.cmd" "--wait" "%SURETY_EDITED_FILE%""'],
    env: { SURETY_EDITED_FILE: FILE },
    verbatim: true,
  });
  expect(editorCommand('code --wait', FILE, windows([`${REPOSITORY}\\code.cmd`]))).toBeUndefined();
});

/** Files as on a system without O_NOFOLLOW. */
const unlinked = () => new Disk('win32');

test.each(['linux', 'win32'] as const)('a link is neither read nor written on %s', (platform) => {
  const [disk, folder] = [new Disk(platform), temporaryFolder()];
  const [theirs, link] = [join(folder, 'theirs'), join(folder, 'link')];
  writeFileSync(theirs, 'theirs');
  symlinkSync(theirs, link);
  symlinkSync(join(folder, 'missing'), join(folder, 'dangling'));
  expect(disk.read(link, 100)).toEqual({ kind: 'refused', why: 'symlink' });
  expect(disk.readFrom(link, 0)).toBeUndefined();
  for (const name of ['link', 'dangling']) expect(() => disk.append(join(folder, name), 'ours')).toThrow(/link/);
  expect(() => disk.truncate(link, 0)).toThrow(/link/);
  expect(readFileSync(theirs, 'utf8')).toBe('theirs');
  linkSync(theirs, join(folder, 'second'));
  expect(disk.read(theirs, 100)).toEqual({ kind: 'refused', why: 'hard-link' });
});

test('a file is read, written and replaced without O_NOFOLLOW as with it', () => {
  const [disk, path] = [unlinked(), join(temporaryFolder(), 'file')];
  disk.append(path, 'one\n');
  disk.append(path, 'two\n');
  disk.replace(path, `${readFileSync(path)}three\n`);
  expect(disk.read(path, 100)).toMatchObject({ kind: 'file', bytes: Buffer.from('one\ntwo\nthree\n') });
  const fd = openUnlinked(path, 0, 0, 'win32');
  renameSync(path, `${path}.other`);
  expect(fd).toBeGreaterThan(0);
});

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'a rename that Windows refuses with %s is tried again, a bounded number of times',
  (code) => {
    class BusyDisk extends Disk {
      refusals = 3;
      tries = 0;
      protected override rename(from: string, to: string): void {
        this.tries += 1;
        if (this.refusals-- > 0) throw Object.assign(new Error(code), { code });
        super.rename(from, to);
      }
    }
    const path = join(temporaryFolder(), 'file');
    const disk = new BusyDisk('win32');
    disk.replace(path, 'text');
    expect(readFileSync(path, 'utf8')).toBe('text');
    disk.refusals = Number.POSITIVE_INFINITY;
    disk.tries = 0;
    expect(() => disk.replace(path, 'other')).toThrow(code);
    expect(disk.tries).toBe(7);
    expect(disk.names(dirname(path))).toEqual(['file']);
    const elsewhere = new BusyDisk('linux');
    expect(() => elsewhere.replace(path, 'other')).toThrow(code);
    expect(elsewhere.tries).toBe(1);
  },
);

test('Git Bash without a terminal is told what to do', () => {
  const pipes = { stdin: { isTTY: false }, stdout: { isTTY: false } };
  const said = whyNobody('review', { platform: 'win32', env: { MSYSTEM: 'MINGW64' }, ...pipes });
  expect(said).toContain('winpty surety review');
  expect(whyNobody('review', { platform: 'win32', env: {}, ...pipes })).toContain('must be a terminal');
  expect(whyNobody('review', { platform: 'linux', env: { MSYSTEM: 'MINGW64' }, ...pipes })).toContain(
    'must be a terminal',
  );
});

test('that nobody reads access lists on Windows is said, and nothing of the kind elsewhere', () => {
  const places = placesIn(temporaryFolder());
  expect(rightsUnread(places, 'win32')).toEqual([places.root, places.config]);
  for (const platform of ['linux', 'darwin'] as const) expect(rightsUnread(places, platform)).toEqual([]);
});

test('a folder so long that Windows could not open what is in it is refused there, in words', () => {
  const home = temporaryFolder();
  const at = (platform: NodeJS.Platform) => () =>
    resolvePlaces({ root: join(home, 'long'.repeat(60)), env: {}, home, account: home, platform });
  expect(at('win32')).toThrow('Windows opens no path over 260');
  expect(at('linux')).not.toThrow();
});
