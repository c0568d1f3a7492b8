import { describe, expect, test } from 'vitest';
import { judgeGoVersion } from './go.ts';
import { whyNoGo, whyNoPackages } from './requirements.ts';

describe('Go', () => {
  test('a version that can build our pins needs no words', () => {
    expect(judgeGoVersion('go1.26.1\n')).toBeUndefined();
    expect(judgeGoVersion('go1.30-devel\n')).toBeUndefined();
  });

  test('an older one, and none at all, are named with what is needed', () => {
    expect(judgeGoVersion('go1.22.2\n')).toBe(
      'Go 1.26 or newer is needed to build the development tools; this is go1.22.2',
    );
    expect(judgeGoVersion(undefined)).toBe(
      'Go 1.26 or newer is needed to build the development tools, and there is no `go` on the PATH',
    );
  });

  test('the PATH decides whether there is one', () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nonexistent';
    try {
      expect(whyNoGo()).toContain('there is no `go` on the PATH');
    } finally {
      process.env['PATH'] = path;
    }
  });
});

test('no packages are always there', () => {
  expect(whyNoPackages([])).toBeUndefined();
});
