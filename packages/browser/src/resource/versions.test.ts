import { expect, test } from 'vitest';
import { neighboursIn } from '../api/client.ts';
import { parseRoute, resourcePath } from '../routes/routes.ts';
import { filterQuery, isPinned, pinComment, shownFields, summaryOf, versionText } from './versions.ts';

test('[UI-RES1] a version is shown with its fields in order', () => {
  expect(versionText({ ref: 'abc', branch: 'main' })).toBe('branch: main, ref: abc');
});

test('[UI-RES2] the link to a version is read back as its filters', () => {
  const version = { ref: 'a:b&c', branch: 'main' };
  const address = resourcePath({ team: 't', pipeline: 'p', vars: 'vars.a=1' }, 'r', filterQuery(version));
  expect(parseRoute(address)).toMatchObject({
    page: 'resource',
    vars: 'vars.a=1',
    filters: ['branch:main', 'ref:a:b&c'],
  });
});

test('[UI-RES3] a pin holds for each version that has its fields', () => {
  expect(isPinned({ ref: 'a', branch: 'main' }, { ref: 'a' })).toBe(true);
  expect(isPinned({ ref: 'a', branch: 'main' }, { ref: 'a', branch: 'next' })).toBe(false);
  expect(isPinned({ ref: 'a' }, undefined)).toBe(false);
});

test('[UI-RES4] a new pin says who pinned it and when', () => {
  expect(pinComment('ann', new Date('2026-11-16T08:05:59Z'))).toBe('pinned by ann on 2026-11-16 08:05 UTC');
});

test('[UI-RES5] metadata: the first line of the message and the author stand for it, and no field is shown twice', () => {
  const metadata = [
    { name: 'ref', value: 'abc' },
    { name: 'author', value: 'ann' },
    { name: 'message', value: 'fix it\n\nat last' },
  ];
  expect(summaryOf(metadata)).toEqual({ message: 'fix it', by: 'ann' });
  expect(summaryOf()).toEqual({});
  const fields = shownFields({ id: 1, version: { ref: 'abc' }, enabled: true, metadata });
  expect(fields.map(({ name }) => name)).toEqual(['ref', 'author', 'message']);
});

test('[UI-RES6] the pages before and after come from the header Link', () => {
  const base = 'https://ci.example.com/api/v1/teams/t/pipelines/p/resources/r/versions';
  const links = `<${base}?to=7&limit=100&vars.a=1>; rel="next", <${base}?from=9&limit=100&vars.a=1>; rel="previous"`;
  expect(neighboursIn(links)).toEqual({ older: 'to=7&limit=100', newer: 'from=9&limit=100' });
  expect(neighboursIn('')).toEqual({});
});
