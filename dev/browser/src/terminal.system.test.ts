import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { LocalWeb } from '@seaplane/web/testing';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { signIn } from './testing/test-browser.ts';
import { useTestSite } from './testing/test-site.ts';

/** The task ends when somebody makes a file in its directory. */
const YAML = `
jobs:
- name: wait
  public: true
  plan:
  - in_parallel:
    - task: wait
      config: { platform: linux, run: { path: sh, args: [-c, 'echo waits; until [ -e go ]; do sleep 0.2; done; cat go'] } }
    - task: other
      config: { platform: linux, run: { path: sh, args: [-c, 'exit 1'] } }
`;

describe.skipIf(whyNoRoot())('terminal', () => {
  const site = useTestSite(LocalWeb.start, async ({ fly }) => {
    await fly.setPipeline('enter', YAML);
    await fly.exposePipeline('enter');
  });

  /** Starts a build and opens a shell in its task. */
  async function enter(page: Page): Promise<number> {
    const id = await site.fly.trigger('enter', 'wait');
    await signIn(page, site.url, `/builds/${id}`);
    const step = page.locator('[data-step-name="wait"]');
    await step.locator('.log-text', { hasText: 'waits' }).waitFor();
    await step.getByRole('button', { name: 'Open a terminal' }).click();
    await page.getByText('F6 leaves the terminal').waitFor();
    return id;
  }

  /** Waits until the task has ended, which closes its step, and looks into its log. */
  async function hasPrinted(page: Page, text: string): Promise<void> {
    const step = page.locator('[data-step-name="wait"]');
    await step.locator('[data-step-state="succeeded"]').waitFor();
    await step.locator('.header').press('Enter');
    await step.locator('.log-text', { hasText: text }).waitFor();
  }

  const screen = (page: Page) => page.locator('.xterm-rows');
  const saying = (page: Page, text: string | RegExp) => screen(page).locator('div', { hasText: text }).first();

  async function type(page: Page, line: string): Promise<void> {
    await page.keyboard.type(line);
    await page.keyboard.press('Enter');
  }

  test('[UI-TERM4] commands run in the sandbox of the step, in any colour, at the size of the panel', async () => {
    await using watched = await site.browser.openPage({ viewport: { width: 1280, height: 860 } });
    const { page, complaints } = watched;
    const id = await enter(page);
    await type(page, String.raw`printf '%d-\303\266\n' $((6 * 7))`);
    await saying(page, /^42-ö/).waitFor();
    await type(page, String.raw`printf '\033[38;2;1;200;3mvivid\033[0m\n'`);
    const vivid = screen(page).locator('span', { hasText: /^vivid$/ });
    await expect.poll(() => vivid.getAttribute('style')).toContain('color: rgb(1, 200, 3)');
    expect(await findBarriers(page)).toEqual([]);
    // A key of the shell, which would open the palette on the rest of the page.
    await page.keyboard.type('never-typed');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+k');
    await page.getByRole('button', { name: 'Large' }).click();
    await page.locator('.xterm-helper-textarea').focus();
    const rows = async () => {
      await type(page, 'echo "rows:$(stty size)."');
      const found = [...((await screen(page).textContent()) ?? '').matchAll(/rows:(\d+) (\d+)\./g)].at(-1);
      return Number(found?.[1]);
    };
    await expect.poll(rows).toBeGreaterThan(30);
    await page.keyboard.press('F6');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Close');
    await page.locator('.xterm-helper-textarea').focus();
    await type(page, 'exit 3');
    await page.getByText('The shell has ended with exit status 3.').waitFor();
    await page.getByRole('button', { name: 'Open again' }).click();
    await page.getByText('F6 leaves the terminal').waitFor();
    await type(page, 'echo by hand > x; mv x go');
    await hasPrinted(page, 'by hand');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.locator('.terminal-panel').waitFor({ state: 'detached' });
    await expect.poll(() => site.fly.status(id)).toBe('failed');
    expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('[UI-TERM4] a program that prints without end leaves the page usable, and a key ends it', async () => {
    await using watched = await site.browser.openPage();
    const { page, complaints } = watched;
    await enter(page);
    await type(page, 'yes flood');
    await saying(page, /^flood/).waitFor();
    await page.keyboard.press('Control+c');
    await type(page, 'echo still-$((1 + 1))-here > x; mv x go');
    await hasPrinted(page, 'still-2-here');
    expect(complaints).toEqual([]);
  });

  test('[UI-TERM5] somebody who may not enter reads why, and so does somebody who comes too late', async () => {
    await using signedIn = await site.browser.openPage();
    const { page } = signedIn;
    const id = await enter(page);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await using stranger = await site.browser.openPage();
    await stranger.page.goto(page.url());
    const button = stranger.page.locator('[data-step-name="wait"]').getByRole('button', { name: 'Open a terminal' });
    expect(await button.getAttribute('aria-description')).toBe('in task wait. Sign in to do this');
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await page.route('**/containers?*', (route) => route.fulfill({ json: [] }));
    await page.getByRole('button', { name: 'Open a terminal' }).first().click();
    await page.getByText('The sandbox of this step is gone.').waitFor();
    await site.fly.abort(id);
  });

  test('[UI-TERM6] a cut connection is reported, and the shell is opened again when web is back', async () => {
    await using watched = await site.browser.openPage();
    const { page } = watched;
    await enter(page);
    await type(page, 'echo before');
    await saying(page, /^before/).waitFor();
    await site.web.web.kill('SIGKILL');
    await page.getByText('The connection to the shell is lost.').waitFor();
    await page.getByRole('button', { name: 'Open again' }).click();
    await page.locator('.terminal-panel').getByText('The server does not answer.').waitFor();
    await site.web.startAgain();
    await page.locator('.live-live').waitFor();
    await page.getByRole('button', { name: 'Open again' }).click();
    await page.getByText('F6 leaves the terminal').waitFor();
    await type(page, 'echo after > x; mv x go');
    await hasPrinted(page, 'after');
  });
});
