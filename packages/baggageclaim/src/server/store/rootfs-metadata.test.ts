import { expect, test } from 'vitest';
import { parseRootfsMetadata } from './rootfs-metadata.ts';

test('[BC19] env and user are read, and either may be missing; other fields are ignored', () => {
  const text = '{"env":["A=b"],"user":"me","entrypoint":["/x"]}';
  expect(parseRootfsMetadata('a', text)).toEqual({ env: ['A=b'], user: 'me' });
  for (const bare of ['{}', '{"env":null,"user":null}']) {
    expect(parseRootfsMetadata('a', bare)).toEqual({ env: [], user: '' });
  }
});

test.each(['', '[1', '3', 'null', '{"env":"A=b"}', '{"env":[1]}', '{"user":5}'])('[BC19] %j is refused', (text) => {
  expect(() => parseRootfsMetadata('img', text)).toThrow('the metadata.json of the artifact img is malformed');
});
