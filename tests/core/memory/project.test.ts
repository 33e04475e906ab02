import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/core/memory/limits.ts';
import { nameSlug, projectOfRemote, projectSlug } from '../../../src/core/memory/project.ts';

test.each([
  ['acme/shop', 'acme/shop'],
  ['Acme/Shop', 'acme/shop'],
  ['Acme/Shop.git', 'acme/shop'],
  ['https://github.com/Acme/Shop', 'acme/shop'],
  ['https://github.com/Acme/Shop.git/', 'acme/shop'],
  ['github.com/Acme/Shop', 'acme/shop'],
  ['git@github.com:Acme/Shop.git', 'acme/shop'],
  ['/srv/git/shop/.git', 'git/shop'],
  ['My Shop', 'my-shop'],
  ['my.git', 'my.git'],
  ['-', '-'],
  ['/', ''],
])('%s is the project “%s”', (typed, slug) => {
  expect(projectSlug(typed)).toBe(slug);
  expect(projectSlug(slug)).toBe(slug);
});

test('a folder’s name is one project, composed or not', () => {
  expect(nameSlug('cafe\u0301')).toBe(projectSlug('caf\u00e9'));
});

test('an address without an owner names no project', () => {
  expect(projectOfRemote('shop')).toBeUndefined();
  expect(projectOfRemote('host:shop')).toBeUndefined();
});

test('a project fits its limit, and two that begin alike stay two', () => {
  const address = (end: string) => `https://example.com/${'o'.repeat(70)}/${'n'.repeat(70)}${end}`;
  const [one, other] = [projectSlug(address('a')), projectSlug(address('b'))];
  expect(one).toHaveLength(LIMITS.project.max);
  expect(one).not.toBe(other);
  expect(projectSlug(one)).toBe(one);
  // One that fits is not cut.
  expect(projectSlug(`a/${'n'.repeat(98)}`)).toBe(`a/${'n'.repeat(98)}`);
});

test.each([
  ['магазин', 'склад', /^x-[0-9a-f]{12}$/],
  ['проект1', 'данные1', /^-1-[0-9a-f]{12}$/],
  ['команда1/n', 'другая1/n', /^-1-[0-9a-f]{12}\/n$/],
  ['c#', 'c++', /^c--[0-9a-f]{12}$/],
])('%s and %s stay two', (typed, another, looks) => {
  const [one, other] = [projectSlug(typed), projectSlug(another)];
  expect(one).toMatch(looks);
  expect(one).not.toBe(other);
  expect(projectSlug(one)).toBe(one);
});
