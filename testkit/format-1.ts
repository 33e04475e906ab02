import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY_HEAD, type Entry, hashOf, signEntry } from '../src/core/ledger/entry.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import type { TestStore } from './store.ts';

/** Makes of a store what an older Surety would have written: one file, each entry in version 1, no id anywhere. */
export async function asFormat1(store: TestStore): Promise<void> {
  const { key } = insideOf(store.vault);
  const names = new Map<string, string>();
  const lines: string[] = [];
  for (const before of store.ledgerLines()) {
    for (const entry of entriesOf(before)) {
      const head = lines.length === 0 ? EMPTY_HEAD : { count: lines.length, hash: hashOf(lines.at(-1) ?? '') };
      const after = entry.after.map((hash) => names.get(hash) ?? hash);
      const line = signEntry({ ...entry, after }, head, 0, Date.parse(entry.at), key, undefined);
      names.set(hashOf(before), hashOf(line));
      lines.push(line);
    }
  }
  store.vault.close();
  for (const path of store.ledgerPaths()) rmSync(path);
  store.writeLedger(lines);
  rmSync(join(store.places.root, 'store.json'));
  const kept = join(store.places.state, 'ledgers');
  for (const name of readdirSync(kept)) rmSync(join(kept, name));
  const heads = { heads: { [key.fingerprint]: { count: lines.length, hash: hashOf(lines.at(-1) ?? '') } } };
  const signed = key.signed(heads, `heads ${store.places.rootHash}`);
  writeFileSync(join(store.places.state, 'heads.json'), signed);
  await store.reopen();
}

/** Version 1 has an entry for each first sight, and none that names the store. */
function entriesOf(line: string): Entry[] {
  const { texts, ...entry } = JSON.parse(line) as Entry;
  if (entry.action === 'store') return [];
  return texts?.map(([id, digest, saying]) => ({ ...entry, id, digest, saying })) ?? [entry];
}
