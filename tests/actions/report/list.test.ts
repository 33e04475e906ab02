import { expect, test } from 'vitest';
import { list } from '../../../src/actions/report/list.ts';
import { Disk } from '../../../src/store/disk/disk.ts';
import { openToLook } from '../../../src/store/open-vault.ts';
import { updateIndex } from '../../../src/store/reconcile/reconcile.ts';
import { MACHINE } from '../../../testkit/faults.ts';
import { TestStore } from '../../../testkit/store.ts';

class CountingDisk extends Disk {
  reads = 0;

  override read(path: string, atMost: number) {
    if (path.endsWith('.md')) this.reads += 1;
    return super.read(path, atMost);
  }
}

test.each([50, 400])('a list of %i memories reads each file once, and the first is told after one', async (many) => {
  const store = await TestStore.open({ machine: MACHINE });
  for (let n = 0; n < many; n++) {
    const text = `---\nname: Number ${n}\ndescription: d\ntype: user\n---\nThe body of number ${n}, which is long enough.\n`;
    store.write('memories', `user_n${n}`, text);
  }
  await store.reconcile();
  const disk = new CountingDisk();
  const vault = openToLook(store.places, { machine: MACHINE, disk, complain: () => {} });
  await updateIndex(vault);
  disk.reads = 0;
  const listed = list(vault);
  expect(listed.next().value?.id).toBe('user_n0');
  expect(disk.reads).toBe(1);
  expect([...listed]).toHaveLength(many - 1);
  expect(disk.reads).toBe(many);
  vault.close();
});
