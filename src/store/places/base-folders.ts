import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';

interface BaseFolders {
  readonly cache: string;
  readonly state: string;
  readonly config: string;
}

/** This machine's own folders, before each store's part: each system's convention, and XDG anywhere. */
export function baseFolders(
  { env, platform }: { readonly env: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform },
  home: string,
): BaseFolders {
  /** The XDG specification says to ignore relative values. */
  const absolute = (name: string) => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : undefined;
  };
  const xdg = (name: string) => {
    const base = absolute(name);
    return base === undefined ? undefined : join(base, 'surety');
  };
  const usual = () => {
    if (platform === 'darwin') {
      const support = join(home, 'Library', 'Application Support', 'surety');
      return {
        cache: join(home, 'Library', 'Caches', 'surety'),
        state: join(support, 'state'),
        config: join(support, 'config'),
      };
    }
    if (platform === 'win32') {
      const local = join(absolute('LOCALAPPDATA') ?? join(home, 'AppData', 'Local'), 'surety');
      // Not the roaming profile, which is copied between machines: a key belongs to one machine.
      return { cache: join(local, 'Cache'), state: join(local, 'State'), config: join(local, 'Config') };
    }
    return {
      cache: join(home, '.cache', 'surety'),
      state: join(home, '.local', 'state', 'surety'),
      config: join(home, '.config', 'surety'),
    };
  };
  const { cache, state, config } = usual();
  return {
    cache: xdg('XDG_CACHE_HOME') ?? cache,
    state: xdg('XDG_STATE_HOME') ?? state,
    config: xdg('XDG_CONFIG_HOME') ?? config,
  };
}

/** Clients start servers without a shell, so nothing else expands it. */
export function withoutTilde(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') || path.startsWith(`~${sep}`) ? join(home, path.slice(2)) : path;
}

/** The home folder by the system's records, which no variable can change; $HOME where there are none. */
export function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A container may run as a user id without an account.
    return homedir();
  }
}

/** Whether `child` is `parent` or lies below it, by name only: call `realPlace` on both where links matter. */
export function inside(parent: string, child: string): boolean {
  const way = relative(parent, child);
  return !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}
