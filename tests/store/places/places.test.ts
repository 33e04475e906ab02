import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/core/refusal.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { accountHome, inside } from '../../../src/store/places/base-folders.ts';
import {
  createStore,
  type Places,
  realPlace,
  resolvePlaces,
  type Surroundings,
} from '../../../src/store/places/places.ts';

let base: string;
let home: string;

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), 'surety-')));
  home = folder('home');
});
afterEach(() => fs.rmSync(base, { recursive: true, force: true }));

function folder(...path: string[]): string {
  const made = join(base, ...path);
  fs.mkdirSync(made, { recursive: true });
  return made;
}

function file(path: string, text = 'x'): string {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
  return path;
}

function places(input: Partial<Surroundings> = {}): Places {
  return resolvePlaces({ env: {}, home, platform: 'linux', ...input });
}

function refusal(input: Partial<Surroundings>): string {
  try {
    places(input);
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).code).toBe('root-unusable');
    return (error as Refusal).message;
  }
  return expect.fail('nothing was refused');
}

/** Everything below a folder, to show that a refusal left it alone. */
function contents(of: string): string[] {
  return fs.readdirSync(of, { recursive: true }).map(String).sort();
}

describe('where the store lives', () => {
  test('--root comes before SURETY_ROOT, and that before ~/.surety', () => {
    const env = { SURETY_ROOT: join(base, 'from-env') };
    expect(places({ root: join(base, 'asked'), env }).root).toBe(join(base, 'asked'));
    expect(places({ env }).root).toBe(join(base, 'from-env'));
    expect(places().root).toBe(join(home, '.surety'));
    expect(places({ env: { SURETY_ROOT: '' } }).root).toBe(join(home, '.surety'));
  });

  test('all parts of a store are absolute paths below its root', () => {
    const found = places();
    const parts = [found.memories, found.quarantine, found.archive, found.ledger, found.guard];
    expect(parts.map((part) => relative(found.root, part))).toEqual([
      'memories',
      'quarantine',
      'archive',
      'ledger',
      '.surety',
    ]);
  });

  test('~ means the home folder, because no shell expands what a client passes on', () => {
    expect(places({ root: '~/notes' }).root).toBe(join(home, 'notes'));
    expect(places({ env: { SURETY_ROOT: '~/notes' } }).root).toBe(join(home, 'notes'));
    expect(basename(realPlace('~other'))).toBe('~other');
  });

  test('the root is a real path: links are followed and dots resolved, also where nothing exists yet', () => {
    folder('disk', 'big');
    fs.symlinkSync(join(base, 'disk'), join(base, 'link'));
    expect(places({ root: join(base, 'link', 'big', 'not', 'yet') }).root).toBe(
      join(base, 'disk', 'big', 'not', 'yet'),
    );
    expect(places({ root: `${base}${sep}a${sep}..${sep}b` }).root).toBe(join(base, 'b'));
  });

  test('two ways to write one root lead to the same derived folders, two roots never share them', () => {
    folder('store');
    fs.symlinkSync(join(base, 'store'), join(base, 'alias'));
    const one = places({ root: join(base, 'store') });
    expect(places({ root: join(base, 'alias') })).toEqual(one);
    expect(one.rootHash).toBe(createHash('sha256').update(join(base, 'store')).digest('hex').slice(0, 32));
    const other = places({ root: join(base, 'store2') });
    expect(other.state).not.toBe(one.state);
    expect(other.cache).not.toBe(one.cache);
    expect(other.config).toBe(one.config);
  });

  test('settling the places creates nothing', () => {
    places();
    expect(contents(base)).toEqual(['home']);
  });
});

describe('where this machine keeps its own files', () => {
  test('on Linux in the XDG folders', () => {
    const { cache, state, config, rootHash } = places();
    expect({ cache, state, config }).toEqual({
      cache: join(home, '.cache/surety', rootHash),
      state: join(home, '.local/state/surety', rootHash),
      config: join(home, '.config/surety'),
    });
  });

  test('on macOS below ~/Library', () => {
    const { cache, state, config, rootHash } = places({ platform: 'darwin' });
    expect({ cache, state, config }).toEqual({
      cache: join(home, 'Library/Caches/surety', rootHash),
      state: join(home, 'Library/Application Support/surety/state', rootHash),
      config: join(home, 'Library/Application Support/surety/config'),
    });
  });

  test('on Windows below LOCALAPPDATA, or where that is by default; never in the profile that roams', () => {
    const env = { LOCALAPPDATA: join(base, 'local'), APPDATA: join(base, 'roaming') };
    const { cache, state, config, rootHash } = places({ platform: 'win32', env });
    expect({ cache, state, config }).toEqual({
      cache: join(base, 'local/surety/Cache', rootHash),
      state: join(base, 'local/surety/State', rootHash),
      config: join(base, 'local/surety/Config'),
    });
    expect(places({ platform: 'win32' }).config).toBe(join(home, 'AppData/Local/surety/Config'));
  });

  test.each(['linux', 'darwin', 'win32'] as const)('an absolute XDG variable wins on %s', (platform) => {
    const env = {
      XDG_CACHE_HOME: join(base, 'c'),
      XDG_STATE_HOME: join(base, 's'),
      XDG_CONFIG_HOME: join(base, 'f'),
      LOCALAPPDATA: join(base, 'local'),
    };
    const { cache, state, config, rootHash } = places({ platform, env });
    expect({ cache, state, config }).toEqual({
      cache: join(base, 'c/surety', rootHash),
      state: join(base, 's/surety', rootHash),
      config: join(base, 'f/surety'),
    });
  });

  test('a relative or empty XDG variable is ignored', () => {
    const usual = places();
    expect(places({ env: { XDG_CACHE_HOME: 'c', XDG_STATE_HOME: './s', XDG_CONFIG_HOME: '' } })).toEqual(usual);
    expect(places({ env: { XDG_CONFIG_HOME: '~/.config' } })).toEqual(usual);
  });

  test.each(['CONFIG', 'STATE', 'CACHE'])('a %s folder inside the store is refused: it would be synced', (which) => {
    const root = join(base, 'store');
    const message = refusal({ root, env: { [`XDG_${which}_HOME`]: join(root, 'own') } });
    expect(message).toContain('lies inside the store');
    expect(message).toContain(`XDG_${which}_HOME`);
  });

  test('a config folder that is a file is refused', () => {
    file(join(home, '.config/surety'));
    expect(refusal({})).toContain('is a file');
    fs.rmSync(join(home, '.config'), { recursive: true });
    file(join(home, '.config'));
    expect(refusal({})).toContain('a part of it is a file');
  });
});

describe('a root that cannot be used is refused, with what to do', () => {
  test('a folder with other files in it', () => {
    const root = folder('photos');
    file(join(root, 'cat.jpg'));
    const message = refusal({ root });
    expect(message).toContain(root);
    expect(message).toContain('is not a store');
    expect(message).toContain('--root or SURETY_ROOT');
    expect(contents(root)).toEqual(['cat.jpg']);
  });

  test('a file', () => {
    expect(refusal({ root: file(join(base, 'note.md')) })).toContain('is a file');
    expect(refusal({ root: join(base, 'note.md', 'below') })).toContain('a part of it is a file');
  });

  test('links that lead in a circle, or nowhere', () => {
    fs.symlinkSync(join(base, 'b'), join(base, 'a'));
    fs.symlinkSync(join(base, 'a'), join(base, 'b'));
    expect(refusal({ root: join(base, 'a') })).toContain('in a circle');
    fs.symlinkSync(join(base, 'gone'), join(base, 'dangling'));
    expect(refusal({ root: join(base, 'dangling') })).toContain('leads nowhere');
    expect(refusal({ root: join(base, 'dangling', 'below') })).toContain('leads nowhere');
  });

  test.each(['memories', 'quarantine', 'archive', 'ledger', '.surety'])('a store whose %s is a link', (name) => {
    const root = folder('store');
    folder('store', 'memories');
    fs.rmSync(join(root, name), { recursive: true, force: true });
    fs.symlinkSync(folder('elsewhere'), join(root, name));
    expect(refusal({ root })).toContain(`${name} in the store folder`);
  });

  test('a store whose memories is a file', () => {
    file(join(folder('store'), 'memories'));
    expect(refusal({ root: join(base, 'store') })).toContain('memories in the store folder');
  });

  test('the top of the file system, the home folder by any name, and what holds the home folder', () => {
    fs.symlinkSync(home, join(base, 'also-home'));
    folder('home', 'memories');
    folder('memories');
    for (const root of ['/', '~', '~/', home, join(base, 'also-home'), `${home}/x/..`, base]) {
      expect(refusal({ root })).toContain('is the home folder or holds it');
    }
    expect(refusal({ root: join(base, 'also-home'), home: join(base, 'also-home') })).toContain('home folder');
  });

  test('an empty --root, which an unset variable in a script leaves', () => {
    expect(refusal({ root: '', env: { SURETY_ROOT: join(base, 'store') } })).toContain('--root is empty');
  });

  test('a home folder that is not known', () => {
    expect(refusal({ home: '' })).toContain('Set HOME');
  });

  test('a path no system takes is shown without what could act on a terminal', () => {
    const message = refusal({ root: `${base}/a\u0000\u001b[2J\u202e\n${'x'.repeat(500)}` });
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(message.length).toBeLessThan(400);
  });

  test('path traversal ends where it leads, and is judged there', () => {
    folder('store', 'memories');
    file(join(base, 'etc', 'passwd'));
    expect(refusal({ root: `${join(base, 'store')}/../etc/passwd` })).toContain('is a file');
    expect(refusal({ root: `${join(base, 'store')}/memories/../../etc` })).toContain('is not a store');
  });
});

describe('a root that can be used', () => {
  test('a folder with memories/ is a store, whatever else is in it', () => {
    folder('store', 'memories');
    file(join(base, 'store', 'notes.txt'));
    expect(places({ root: join(base, 'store') }).root).toBe(join(base, 'store'));
  });

  test('a fresh clone counts as empty, with what a hosting site puts into a new repository', () => {
    const root = folder('clone');
    folder('clone', '.git');
    expect(places({ root }).root).toBe(root);
    for (const name of ['README.md', 'LICENSE', '.gitignore', '.gitattributes']) file(join(root, name));
    expect(places({ root }).root).toBe(root);
    file(join(root, 'index.js'));
    expect(refusal({ root })).toContain('is not a store');
  });

  test('a store cloned while it held no memory is one, because git keeps no empty folders', () => {
    const root = folder('clone');
    for (const name of ['.git', 'ledger', 'quarantine']) folder('clone', name);
    expect(places({ root }).root).toBe(root);
    fs.rmdirSync(join(root, 'ledger'));
    expect(refusal({ root })).toContain('is not a store');
  });
});

describe('memory is never kept in a repository an agent works in', () => {
  test('a root inside a repository is refused, however deep and whether it exists or not', () => {
    folder('project', '.git');
    for (const root of [join(base, 'project/store'), folder('project/a/b/c'), join(base, 'project/.git/store')]) {
      const message = refusal({ root });
      expect(message).toContain('lies inside the git work tree');
      expect(message).toContain(`"${join(base, 'project')}"`);
    }
  });

  test('a store inside a repository is refused even though it is one', () => {
    folder('project', '.git');
    folder('project', 'store', 'memories');
    expect(refusal({ root: join(base, 'project/store') })).toContain('git work tree');
  });

  test('a root that is the top of its own repository is accepted', () => {
    folder('store', '.git');
    folder('store', 'memories');
    expect(places({ root: join(base, 'store') }).root).toBe(join(base, 'store'));
  });

  test('a root that is its own repository inside another one is refused', () => {
    folder('project', '.git');
    folder('project', 'store', '.git');
    expect(refusal({ root: join(base, 'project/store') })).toContain(`"${join(base, 'project')}"`);
  });

  test('a home folder kept in git is accepted, also by another name for it', () => {
    folder('home', '.git');
    folder('home', '.surety', '.git');
    expect(places().root).toBe(join(home, '.surety'));
    fs.symlinkSync(home, join(base, 'alias'));
    expect(places({ home: join(base, 'alias') }).root).toBe(join(home, '.surety'));
  });

  test('a repository that makes itself the home folder gains nothing when the account is known', () => {
    folder('project', '.git');
    const project = join(base, 'project');
    expect(refusal({ home: project, account: home })).toContain('git work tree');
    folder('home', '.git');
    expect(places({ account: home }).root).toBe(join(home, '.surety'));
  });

  test('the account’s home folder does not follow HOME', () => {
    const before = process.env.HOME;
    const truth = accountHome();
    try {
      process.env.HOME = home;
      expect(accountHome()).toBe(truth);
    } finally {
      if (before === undefined) delete process.env.HOME;
      else process.env.HOME = before;
    }
  });

  test('a linked work tree and a submodule are refused, inside and at their top', () => {
    folder('project', '.git');
    file(join(base, 'linked', '.git'), 'gitdir: ../project/.git/worktrees/linked\n');
    file(join(base, 'project', 'sub', '.git'), 'gitdir: ../.git/modules/sub\n');
    for (const root of ['linked/store', 'linked', 'project/sub/store', 'project/sub']) {
      expect(refusal({ root: join(base, root) })).toContain('git work tree');
    }
  });

  test('a link that leads into a repository is refused', () => {
    folder('project', '.git');
    folder('project', 'store', 'memories');
    fs.symlinkSync(join(base, 'project/store'), join(base, 'innocent'));
    expect(refusal({ root: join(base, 'innocent') })).toContain('git work tree');
    fs.symlinkSync(join(base, 'project'), join(home, '.config'));
    expect(refusal({})).toContain('The config folder');
  });

  test.each([
    ['config', 'XDG_CONFIG_HOME'],
    ['state', 'XDG_STATE_HOME'],
    ['cache', 'XDG_CACHE_HOME'],
  ])('a %s folder inside a repository is refused', (name, variable) => {
    folder('project', '.git');
    const message = refusal({ env: { [variable]: join(base, 'project', 'x') } });
    expect(message).toContain(`The ${name} folder`);
    expect(message).toContain(variable);
  });

  test('GIT_ variables neither make nor hide a repository', () => {
    folder('project', '.git');
    const env = { GIT_DIR: join(base, 'none'), GIT_CEILING_DIRECTORIES: base, GIT_WORK_TREE: base };
    expect(refusal({ root: join(base, 'project/store'), env })).toContain('git work tree');
    expect(places({ root: join(base, 'store'), env }).root).toBe(join(base, 'store'));
  });

  test('a folder beside a repository with the same beginning of its name is not inside it', () => {
    folder('project', '.git');
    expect(places({ root: join(base, 'project-memory') }).root).toBe(join(base, 'project-memory'));
  });
});

describe('inside', () => {
  test('path traversal, absolute paths and siblings with the same prefix are outside', () => {
    const store = join(base, 'store');
    for (const path of ['../../etc/passwd', '../store2/a', '..', '../', 'memories/../../store2', '../storeX']) {
      expect(inside(store, join(store, path)), path).toBe(false);
    }
    expect(inside(store, '/etc/passwd')).toBe(false);
    expect(inside(store, `${store}2`)).toBe(false);
  });

  test('the folder itself and everything below it are inside, also names that begin with dots', () => {
    const store = join(base, 'store');
    for (const path of ['', 'a', 'a/b', '..a', '...', '.surety', 'a/../b']) {
      expect(inside(store, join(store, path)), path).toBe(true);
    }
    expect(inside('/', store)).toBe(true);
  });

  test('a link that leads out is outside once its real place is taken', () => {
    const store = folder('store');
    fs.symlinkSync(folder('elsewhere'), join(store, 'out'));
    fs.symlinkSync(folder('store', 'memories'), join(store, 'in'));
    expect(inside(store, realPlace(join(store, 'out', 'new.md')))).toBe(false);
    expect(inside(store, realPlace(join(store, 'in', 'new.md')))).toBe(true);
  });

  test('inside agrees with comparing paths part by part', () => {
    const part = fc.constantFrom('a', 'ab', 'b', '..a', '.', '..');
    const path = fc.array(part, { maxLength: 5 }).map((parts) => join('/', ...parts));
    fc.assert(
      fc.property(path, path, (parent, child) => {
        const split = (p: string) => p.split('/').filter((s) => s !== '');
        const expected = split(parent).every((s, i) => split(child)[i] === s);
        expect(inside(parent, child)).toBe(expected);
      }),
    );
  });
});

describe('creating a store', () => {
  const mode = (path: string) => fs.statSync(path).mode & 0o777;

  test('makes its folders closed to others, and the files git needs', () => {
    const found = places();
    createStore(found, new Disk());
    const { root, memories, quarantine, ledger, guard, state, config } = found;
    for (const path of [root, memories, quarantine, ledger, guard, state, config]) {
      expect([path, mode(path)]).toEqual([path, 0o700]);
    }
    expect(fs.readFileSync(join(root, '.gitattributes'), 'utf8')).toBe('* -text\n');
    expect(fs.readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).toEqual([
      'archive/',
      '.surety/',
      '.tmp-*',
      '',
    ]);
    expect(mode(join(root, '.gitignore'))).toBe(0o600);
    expect(fs.existsSync(found.archive)).toBe(false);
  });

  test('never overwrites, however often it is called', () => {
    const found = places();
    createStore(found, new Disk());
    fs.writeFileSync(join(found.root, '.gitignore'), 'mine\n');
    fs.rmSync(join(found.root, '.gitattributes'));
    fs.symlinkSync(join(base, 'nowhere'), join(found.root, '.gitattributes'));
    file(join(found.memories, 'user_a.md'), 'kept');
    createStore(places(), new Disk());
    expect(fs.readFileSync(join(found.root, '.gitignore'), 'utf8')).toBe('mine\n');
    expect(fs.lstatSync(join(found.root, '.gitattributes')).isSymbolicLink()).toBe(true);
    expect(fs.existsSync(join(base, 'nowhere'))).toBe(false);
    expect(fs.readFileSync(join(found.memories, 'user_a.md'), 'utf8')).toBe('kept');
  });

  test('what was put in the way meanwhile is refused and left alone', () => {
    const found = places();
    file(join(found.root, 'thesis.tex'));
    expect(() => createStore(found, new Disk())).toThrow(/is not a store/);
    expect(contents(found.root)).toEqual(['thesis.tex']);
  });

  test('a store interrupted after its first step is completed by the next start', () => {
    const found = places();
    class OneStep extends Disk {
      #left = 1;
      override makeFolder(path: string): void {
        if (this.#left-- === 0) throw new Error('killed');
        super.makeFolder(path);
      }
    }
    expect(() => createStore(found, new OneStep())).toThrow('killed');
    createStore(places(), new Disk());
    expect(fs.existsSync(found.ledger)).toBe(true);
  });

  test.each([
    ['ENOSPC', 'could not be created because the disk is full. Make room, then try again.'],
    [
      'EROFS',
      'could not be created (EROFS). Make sure that its folder and the config and state folders can be written,',
    ],
  ])('a disk that refuses with %s is a refusal that says why', (code, words) => {
    class Refusing extends Disk {
      override makeFolder(): void {
        throw Object.assign(new Error('no'), { code });
      }
    }
    expect(() => createStore(places(), new Refusing())).toThrow(words);
  });
});
