import { expect, test } from 'vitest';
import { iconPath } from './icon-path.ts';

test.for([
  ['github', '/icons/mdi/github.svg'],
  ['source-branch', '/icons/mdi/source-branch.svg'],
  ['si/github', '/icons/si/github.svg'],
  ['si/backstage_casting', '/icons/si/backstage-casting.svg'],
] as const)('[UI-ICON1] the icon %s is at %s', ([icon, path]) => {
  expect(iconPath(icon)).toBe(path);
});

test.for([
  undefined,
  '',
  'si/',
  '../secret',
  'a/b',
  'GitHub',
  'a b',
  'a.svg',
  'x")',
  'https://evil.example/a',
  7,
  null,
])('[UI-ICON1] %j is not the name of an icon', (icon) => {
  expect(iconPath(icon)).toBeUndefined();
});
