import { expect, it } from '@jest/globals';
import { keyOfSource } from './viewer.js';

it('memberships by other roles are told apart, whatever the roles are called', () => {
  const roles = [null, [], ['a'], ['b'], ['a', 'b'], ['a,b'], ['"a"']];
  const keys = ['seats', 'seat'].flatMap((table) => roles.map((one) => keyOfSource({ table, roles: one })));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keyOfSource({ table: 'seats', roles: ['a', 'b'] })).toBe(
    keyOfSource({ table: 'seats', roles: ['a', 'b'] }),
  );
});
