import { expect, test } from 'vitest';
import { faviconOf } from './favicon.ts';

const STATUSES = ['succeeded', 'failed', 'errored', 'aborted', 'started', 'pending'] as const;

test('[UI-BUILD2] each status has a picture of its own, in shape and in colour', () => {
  const pictures = STATUSES.map((status) => decodeURIComponent(faviconOf(status)));
  expect(new Set(pictures).size).toBe(STATUSES.length);
  expect(new Set(pictures.map((picture) => picture.replaceAll(/#\w+/g, ''))).size).toBe(STATUSES.length);
  for (const picture of pictures) {
    expect(picture).toMatch(
      /^data:image\/svg\+xml,<svg xmlns="[^"]+" viewBox="0 0 16 16">(<\w+( [\w-]+="[^"<>]*")+\/>){2}<\/svg>$/,
    );
  }
});
