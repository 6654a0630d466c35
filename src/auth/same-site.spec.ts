import { describe, expect, it } from '@jest/globals';
import { crossSite } from './same-site.js';

const TRUSTED = ['https://app.test'];

describe('crossSite', () => {
  it.each<[boolean, Record<string, string>]>([
    [false, {}],
    [false, { 'sec-fetch-site': 'same-origin' }],
    [false, { 'sec-fetch-site': 'none' }],
    [false, { origin: 'http://me.test:3000' }],
    [false, { origin: 'HTTP://ME.test:3000' }],
    [false, { origin: 'https://me.test:3000', 'sec-fetch-site': 'same-origin' }],
    [false, { origin: 'https://app.test', 'sec-fetch-site': 'cross-site' }],
    [true, { 'sec-fetch-site': 'cross-site' }],
    [true, { 'sec-fetch-site': 'same-site' }],
    [true, { 'sec-fetch-site': 'unheard-of' }],
    [true, { origin: 'null' }],
    [true, { origin: '' }],
    [true, { origin: 'https://evil.test' }],
    [true, { origin: 'http://me.test' }],
    [true, { origin: 'http://me.test:3000.evil.test' }],
    [true, { origin: 'http://evil.test/me.test:3000' }],
    [true, { origin: 'https://app.test.evil.test' }],
    [true, { origin: 'file://' }],
    [true, { origin: 'http://me.test:3000', 'sec-fetch-site': 'cross-site' }],
  ])('%p for %p', (expected, headers) => {
    expect(crossSite(headers, 'me.test:3000', TRUSTED)).toBe(expected);
  });

  it('leaves the default port of the scheme out', () => {
    expect(crossSite({ origin: 'https://me.test' }, 'me.test:443', [])).toBe(false);
    expect(crossSite({ origin: 'https://me.test' }, 'me.test', [])).toBe(false);
    expect(crossSite({ origin: 'https://me.test' }, 'me.test:80', [])).toBe(true);
    expect(crossSite({ origin: 'https://me.test' }, '', [])).toBe(true);
  });
});
