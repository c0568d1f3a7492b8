import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { describe, expect, test } from 'vitest';
import { IdleWeb } from './testing/idle-web.ts';
import { signIn } from './testing/test-browser.ts';
import { useTestSite } from './testing/test-site.ts';

const MARKUP = '<img src=x onerror=alert(1)>';
const YAML = `
jobs:
- name: hello
  plan:
  - task: "${MARKUP}"
    config: { platform: linux, rootfs_uri: x, run: { path: echo } }
- name: never
  plan: []
`;

describe.skipIf(whyNoRoot())('a first visit', () => {
  const site = useTestSite(IdleWeb.start, ({ fly }) => fly.setPipeline('first', YAML));

  test('[UI-PAGE1] a user signs in, finds a pipeline and reads a build', async () => {
    const buildId = await site.fly.trigger('first', 'hello');
    await expect.poll(() => site.fly.status(buildId)).toBe('errored');
    await using watched = await site.browser.openPage();
    const { page, complaints } = watched;
    await page.goto(site.url);
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.fill('#login', 'test');
    await page.fill('#password', 'wrong');
    await page.click('#submit-login');
    await page.getByText('The username or the password is wrong.').waitFor();
    // The browser reports the status 401 of the page itself.
    complaints.length = 0;
    await page.fill('#password', 'test');
    await page.click('#submit-login');
    await page.locator('#user-id', { hasText: 'test' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('team:main frst');
    await page.locator('.dashboard-team-group[data-team-name="main"] .card[data-pipeline-name="first"]').waitFor();
    await page.getByRole('link', { name: /^hello: errored/ }).click();
    await page.waitForURL(`${site.url}/teams/main/pipelines/first/jobs/hello/builds/1`);
    await page.locator('.build-header', { hasText: 'hello#1' }).waitFor();
    await page.locator('.step-error', { hasText: 'worker' }).first().waitFor();
    expect(await page.locator('[data-step-state]').first().getAttribute('data-step-state')).toBe('errored');
    await page.goBack();
    await page.locator('.card').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE2] fly, which waits at a port, gets a token', async () => {
    const given = Promise.withResolvers<string>();
    // As fly does: a page of the server that it logs in to may send the token (fly/commands/login.go).
    const waiting = createServer((request, response) => {
      response.setHeader('Access-Control-Allow-Origin', site.url);
      response.setHeader('Access-Control-Allow-Private-Network', 'true');
      response.end();
      const token = new URL(request.url ?? '', 'http://here').searchParams.get('token');
      if (token !== null) given.resolve(token);
    }).listen(0, '127.0.0.1');
    await once(waiting, 'listening');
    const { port } = waiting.address() as AddressInfo;
    await using watched = await site.browser.openPage();
    const { page } = watched;
    await page.goto(`${site.url}/login?fly_port=${port}`);
    await page.fill('#login', 'test');
    await page.fill('#password', 'test');
    await page.click('#submit-login');
    const done = page.getByText('fly is logged in').waitFor();
    // Where the browser keeps the script from this machine's own addresses, the button sends the token.
    const byHand = page.getByRole('link', { name: 'Send the token to fly' }).click();
    const oneOfBoth = Promise.any([done, byHand]);
    const [Authorization] = await Promise.all([given.promise, oneOfBoth]);
    const user = await fetch(`${site.url}/api/v1/user`, { headers: { Authorization } });
    expect(await user.json()).toMatchObject({ name: 'test' });
    await page.close(); // ends the waiting that was in vain
    await Promise.allSettled([done, byHand]);
    waiting.closeAllConnections();
    waiting.close();
  });

  test('[UI-PAGE3] a job is triggered and a pipeline is paused', async () => {
    await using watched = await site.open('/teams/main/pipelines/first/jobs/never');
    const { page, complaints } = watched;
    await page.getByRole('button', { name: 'Trigger' }).click();
    await page.waitForURL(/\/jobs\/never\/builds\/1$/);
    await page.locator('.build-succeeded').waitFor();
    await page.getByRole('link', { name: 'first' }).click();
    await page.getByRole('link', { name: /^never: succeeded/ }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Unpause' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE15] the newest build, archived pipelines and pages without bars have addresses', async () => {
    const buildId = await site.fly.trigger('first', 'never');
    await expect.poll(() => site.fly.status(buildId)).toBe('succeeded');
    await site.fly.setPipeline('old', 'jobs: [{ name: j, plan: [] }]');
    await site.fly.archivePipeline('old');
    await using watched = await site.open('/teams/main/pipelines/first/jobs/never/builds/latest');
    const { page, complaints } = watched;
    await page.locator('.build-succeeded').waitFor();
    const [latest] = await site.fly.builds('first', 'never');
    expect(latest?.id).toBe(buildId);
    await page.locator('#builds a[aria-current="page"]').waitFor();
    await page.locator('link[rel="icon"][href^="data:image/svg"]').waitFor({ state: 'attached' });
    await page.goto(`${site.url}/`);
    await page.locator('.card[data-pipeline-name="first"]').waitFor();
    expect(await page.locator('.card[data-pipeline-name="old"]').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'archived' }).click();
    await page.waitForURL(`${site.url}/?view=all`);
    await page.locator('.card[data-pipeline-name="old"]').waitFor();
    await page.goto(`${site.url}/?hide_ui=true`);
    await page.locator('.card').first().waitFor();
    expect(await page.locator('#top-bar-app').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE16] buttons of a build say why they cannot be used', async () => {
    const config = (more: string) => `jobs: [{ name: j, public: true, plan: []${more} }]`;
    await site.fly.setPipeline('quiet', config(''));
    await site.fly.exposePipeline('quiet');
    const buildId = await site.fly.trigger('quiet', 'j');
    await expect.poll(() => site.fly.status(buildId)).toBe('succeeded');
    await using watched = await site.browser.openPage();
    const { page, complaints } = watched;
    const reason = async (name: string) => {
      const button = page.getByRole('button', { name });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      return button.getAttribute('aria-description');
    };
    const path = '/teams/main/pipelines/quiet/jobs/j/builds/1';
    await page.goto(site.url + path);
    expect(await reason('Rerun Build')).toBe('Sign in to do this');
    await site.fly.setPipeline('quiet', config(', disable_manual_trigger: true, disable_reruns: true'));
    await signIn(page, site.url, path);
    expect(await reason('Trigger Build')).toBe('The configuration does not allow to trigger this job by hand');
    expect(await reason('Rerun Build')).toBe('The configuration does not allow to rerun builds of this job');
    expect(complaints).toEqual([]);
  });

  test('[UI-HOOK1] the page of a build has the hooks of Concourse’s own browser tests', async () => {
    const buildId = await site.fly.trigger('first', 'never');
    await expect.poll(() => site.fly.status(buildId)).toBe('succeeded');
    await using watched = await site.browser.openPage();
    const { page } = watched;
    await page.goto(`${site.url}/sky/login`);
    expect(await page.locator('#password').getAttribute('autocomplete')).toBe('off');
    await signIn(page, site.url, '/teams/main/pipelines/first/jobs/never');
    await page.locator('[data-build-name]').first().locator('a').click();
    await page.locator('.build-header[style*="rgb(28, 189, 99)"]').waitFor();
    const name = await page.locator('.build-body').getAttribute('data-build-name');
    expect(await page.locator('[data-build-name]').count()).toBe(1);
    await page.locator('.build-header', { hasText: `never#${name}` }).waitFor();
    await page.locator('#builds li:nth-child(1) a').waitFor();
  });

  test('[UI-PAGE4] names that look like markup are text', async () => {
    await using watched = await site.open('/teams/main/pipelines/first/jobs/hello/builds/1');
    const { page, complaints } = watched;
    await page.locator('.step-name', { hasText: MARKUP }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
