import { describe, expect, it } from '@jest/globals';
import { clientAddress, networkOf, trustOf } from './client-address.js';

describe('addresses of clients', () => {
  it.each([
    ['192.0.2.11', '192.0.2.11', '192.0.2.11'],
    ['192.0.2.11:50001', '192.0.2.11', '192.0.2.11'],
    [' 192.0.2.11 ', '192.0.2.11', '192.0.2.11'],
    ['::ffff:192.0.2.11', '192.0.2.11', '192.0.2.11'],
    ['::FFFF:c000:20b', '192.0.2.11', '192.0.2.11'],
    ['[::ffff:192.0.2.11]:50001', '192.0.2.11', '192.0.2.11'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:DB8:0:1::9', '2001:db8:0:1::9', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1::9]', '2001:db8:0:1::9', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1::9]:50001', '2001:db8:0:1::9', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80::1', 'fe80::/64'],
    ['::1', '::1', '::/64'],
    ['2001:db8:0:2::9', '2001:db8:0:2::9', '2001:db8:0:2::/64'],
  ])('%s', (text, address, network) => {
    expect([clientAddress(text), networkOf(text)]).toEqual([address, network]);
  });

  it.each([
    undefined,
    '',
    'unknown',
    '_hidden',
    '192.0.2',
    '0300.0.2.11',
    '3221225995',
    '192.0.2.11:port',
    '192.0.2.11:500010',
    '[2001:db8::1',
    '[2001:db8::1]x',
    '[2001:db8::1]:',
    '2001:db8::1::2',
    '192.0.2.11, 192.0.2.12',
  ])('%s is none, and all of those count together', (text) => {
    expect([clientAddress(text), networkOf(text)]).toEqual([null, 'unknown']);
  });
});

describe('which proxies are believed', () => {
  it('by address and network, with a port or mapped', () => {
    const trusts = trustOf(['10.0.0.0/8', '2001:db8::/32', '::1', '::ffff:192.0.2.0/120']);
    if (typeof trusts === 'boolean') throw new Error('It is a function.');
    const believed = [
      '10.1.2.3',
      '10.1.2.3:80',
      '::ffff:10.1.2.3',
      '2001:db8::7',
      '[2001:db8::7]:443',
      '::1',
    ];
    const others = ['11.0.0.1', '192.0.3.1', '2001:db9::1', '::2', 'unknown', ''];
    for (const address of [...believed, '192.0.2.9'])
      expect([address, trusts(address, 0)]).toEqual([address, true]);
    for (const address of others) expect([address, trusts(address, 0)]).toEqual([address, false]);
  });

  it('by their number, or all, or none', () => {
    const two = trustOf(2);
    if (typeof two === 'boolean') throw new Error('It is a function.');
    expect([0, 1, 2].map((hop) => two('192.0.2.1', hop))).toEqual([true, true, false]);
    expect([trustOf(true), trustOf(false)]).toEqual([true, false]);
  });
});
