import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');
const IMPORT = /\bimport\('(\.[^']+)'\)/g;
/** It runs where `node:vm` may lack what the loader needs. */
const OLD_NODE = '/own-node.ts';

/** The modules that a file imports when it needs them, by their names in the project. */
export function importedBy(entry: string): string[] {
  const found = [...readFileSync(entry, 'utf8').matchAll(IMPORT)].map(([, path = '']) => path);
  const names = found.filter((path) => !path.endsWith(OLD_NODE)).map((path) => nameOf(join(dirname(entry), path)));
  return [...new Set(names)];
}

function nameOf(path: string): string {
  return relative(ROOT, path).replaceAll('\\', '/');
}

/** The source of a script: one function for each of these modules, which runs the module when it is called first. */
export function scriptOf(names: readonly string[]): string {
  const parts = names.map((name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(`./${name}`)})`);
  return `module.exports = { ${parts.join(',\n')} };`;
}

/**
 * Has the file that starts take from scripts what it would import; where it is in a script itself, it only runs that. `parts` tells
 * the script that each module is in.
 */
export function fromScripts(start: string, parts: Readonly<Record<string, string>>): Plugin {
  const from = `import { part } from ${JSON.stringify(join(import.meta.dirname, 'load-script.ts'))};`;
  const call = (name: string) => `part(${JSON.stringify(name)})`;
  return {
    name: 'from-scripts',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== start) return undefined;
        const code = parts[nameOf(path)] === undefined ? withParts(path) : `${from}\n${call(nameOf(path))};`;
        return { contents: code, loader: 'ts', resolveDir: dirname(path) };
      }),
  };

  function withParts(path: string): string {
    // The first line may be the one that tells the system to start Node.
    const [line = '', ...rest] = readFileSync(path, 'utf8').split('\n');
    const code = rest.join('\n').replace(IMPORT, (whole, to: string) => {
      const name = nameOf(join(dirname(path), to));
      return parts[name] === undefined ? whole : call(name);
    });
    return code.includes('part(') ? `${line}\n${from}\n${code}` : `${line}\n${code}`;
  }
}
