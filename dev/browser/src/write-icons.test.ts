import { expect, test } from 'vitest';
import { linesOf } from './write-icons.ts';

test('[UI-ICON3] an icon is a line with its name and its path; another name of it is a line that leads to it', () => {
  const icons = {
    git: { body: '<path fill="currentColor" d="M1 2"/>' },
    old: { body: '<path d="M3 4" fill="currentColor"/>' },
    dots: { body: '<circle cx="7" cy="12" r="4" fill="currentColor"/>' },
    two: { body: '<path d="M0 0" fill="currentColor"/><path d="M1 1" fill="currentColor"/>' },
  };
  const aliases = { 'git-circle': { parent: 'git' }, points: { parent: 'dots' } };
  expect(linesOf({ icons, aliases })).toEqual(['git M1 2\n', 'old M3 4\n', 'git-circle =git\n']);
  expect(linesOf({ icons: { git: icons.git } })).toEqual(['git M1 2\n']);
});
