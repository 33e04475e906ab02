import { describe, expect, test } from 'vitest';
import { shownAddress } from '../../../src/store/git/remote.ts';

describe('the address of a remote is shown without what lets somebody in', () => {
  test.each([
    ['https://git.example/memories.git', 'https://git.example/memories.git'],
    ['https://ann:blue-cow@git.example/memories.git', 'https://git.example/memories.git'],
    ['HTTPS://ann@git.example/memories.git', 'HTTPS://git.example/memories.git'],
    ['ssh://git:blue-cow@git.example/memories.git', 'ssh://git@git.example/memories.git'],
    ['https://git.example/memories.git?token=blue-cow', 'https://git.example/memories.git'],
    ['https://git.example/memories.git#blue-cow', 'https://git.example/memories.git'],
    ['git@git.example:ann/memories.git', 'git@git.example:ann/memories.git'],
    ['/mnt/disk/what is this?/memories.git', '/mnt/disk/what is this?/memories.git'],
  ])('%s', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });
});
