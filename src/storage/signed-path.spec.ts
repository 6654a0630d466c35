import { describe, expect, it } from '@jest/globals';
import { parseQuery } from '../http/query.js';
import { PathSigner } from './signed-path.js';

describe('a signed path', () => {
  const signer = new PathSigner('a secret for tests alone, 32 characters');
  const path = '/files/one';
  const signed = signer.sign('PUT', path, { size: '7' }, new Date(Date.now() + 60_000));
  const query = signed.slice(path.length + 1);

  it('is good as it was made', () => {
    expect(signer.verify('PUT', path, parseQuery(query))).toEqual({ size: '7' });
  });

  it.each(['size=7', 'more=1', '__proto__=1', 'constructor=1', 'toString=', '__proto__=1&__proto__=1'])(
    'is no good with %s beside it',
    (more) => {
      expect(signer.verify('PUT', path, parseQuery(`${query}&${more}`))).toBeNull();
      expect(signer.verify('PUT', path, parseQuery(`${more}&${query}`))).toBeNull();
    },
  );
});
