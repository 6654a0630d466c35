import { expect, it } from '@jest/globals';
import { times } from '../../test/support/times.js';
import { Passwords } from './passwords.js';

const MAX_AT_ONCE = 4;
const MAX_WAITING = 100;

/** Hashes for clients of some addresses, and in which order they end. */
function hashes() {
  const passwords = new Passwords();
  const order: string[] = [];
  const denied: [string, number][] = [];
  const ask = (address: string) =>
    passwords.hash('correct horse battery', address).then(
      () => void order.push(address),
      (error: { status: number }) => void denied.push([address, error.status]),
    );
  return { ask, order, denied };
}

it('networks take turns, however much one of them asks for', async () => {
  const { ask, order, denied } = hashes();
  const greedy = times(40, () => ask('192.0.2.1'));
  const others = ['2001:db8::1', '2001:db8::2', '192.0.2.2'].map(ask);
  await Promise.all(others);
  // First come, first served would be all 40. In turns it is some eight, and more when the system lets one thread wait.
  expect(order.filter((address) => address === '192.0.2.1').length).toBeLessThan(30);
  await Promise.all(greedy);
  expect(denied).toEqual([]);
});

it('the network with the most gives way when too many wait', async () => {
  const { ask, order, denied } = hashes();
  const others = times(MAX_AT_ONCE, (i) => ask(`198.51.100.${i}`));
  const greedy = times(MAX_WAITING + 1, () => ask('192.0.2.1'));
  const modest = ask('192.0.2.2');
  await Promise.all([...others, ...greedy, modest]);
  expect(denied).toEqual(times(2, () => ['192.0.2.1', 503]));
  expect(order.indexOf('192.0.2.2')).toBeLessThan(60); // of 105
}, 30_000);
