import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Presses keys that count only soon after each other, as often as a busy machine makes pauses between them. */
export async function pressInARow(page: Page, keys: string, leadsTo: RegExp): Promise<void> {
  const press = async () => {
    for (const key of keys) await page.keyboard.press(key);
    return page.url();
  };
  await expect.poll(press).toMatch(leadsTo);
}
