import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What keeps people with a keyboard, a screen reader or weak eyes from using the page, by WCAG 2.2 AA and good practice. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  const source = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  // The policy of the page does not hold for scripts of the debugger.
  await page.evaluate(source);
  const results = await page.evaluate<AxeResults>('axe.run(document)');
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
}
