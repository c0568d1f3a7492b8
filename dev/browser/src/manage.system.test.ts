import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const YAML = 'jobs: [{ name: j, plan: [] }]';

describe.skipIf(whyNoRoot())('managing a pipeline', () => {
  const site = useTestSite(IdleWeb.start, async () => {});
  const names = async (page: Page) => {
    const answer = await page.request.get(`${site.url}/api/v1/pipelines`);
    const pipelines = (await answer.json()) as { name: string; archived: boolean }[];
    return pipelines.map(({ name, archived }) => (archived ? `${name} (archived)` : name));
  };

  test('[UI-PAGE21] a pipeline is renamed, archived and destroyed, and not without its name', async () => {
    await site.fly.setPipeline('boat', YAML);
    await using watched = await site.open('/teams/main/pipelines/boat');
    const { page, complaints } = watched;
    const dialog = page.getByRole('dialog');
    const manage = () => page.getByRole('button', { name: 'Manage' }).click();
    await manage();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByLabel('Name').fill('ship');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.waitForURL(`${site.url}/teams/main/pipelines/ship`);
    await page.getByRole('heading', { name: 'ship' }).waitFor();
    expect(await names(page)).toEqual(['ship']);

    await manage();
    const [archive, destroy] = [/Archive/, /Destroy/].map((name) => dialog.getByRole('button', { name }));
    await dialog.getByLabel(/Write ship/).fill('shi');
    expect([await archive?.isDisabled(), await destroy?.isDisabled()]).toEqual([true, true]);
    await dialog.getByLabel(/Write ship/).fill('ship');
    await archive?.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(/^archived by test/).waitFor();
    expect(await names(page)).toEqual(['ship (archived)']);

    await manage();
    expect(await archive?.count()).toBe(0);
    await dialog.getByLabel(/Write ship/).fill('ship');
    await destroy?.click();
    await page.waitForURL(`${site.url}/`);
    expect(await names(page)).toEqual([]);
    // The page may hear of the change, and ask for the pipeline again, before the change has its answer.
    expect(complaints.filter((complaint) => !complaint.includes('404 (Not Found)'))).toEqual([]);
  });

  test('[UI-PAGE24] a new pipeline is written and set, and does not replace one that is there', async () => {
    await site.fly.setPipeline('boat', YAML);
    await using watched = await site.open('/');
    const { page, complaints } = watched;
    await page.getByRole('link', { name: 'New pipeline' }).click();
    const [name, text] = [page.getByLabel('Name'), page.getByRole('textbox', { name: 'Configuration' })];
    expect(await text.inputValue()).toContain('- task: greet');
    expect(await findBarriers(page)).toEqual([]);
    await text.fill(YAML);
    await page.getByRole('button', { name: 'Show what changes' }).click();
    expect(await page.locator('.line-added').count()).toBe(0); // the browser asks for a name first
    await name.fill('boat');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.locator('.line-added', { hasText: 'jobs:' }).waitFor();
    await page.getByRole('button', { name: 'Set the pipeline' }).click();
    await page.getByRole('alert').getByText('The team has a pipeline of this name already').waitFor();
    // The browser itself reports the refused request.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('(Internal Server Error)')]);
    await name.fill('raft');
    await page.getByRole('button', { name: 'Set the pipeline' }).click();
    await page.waitForURL(`${site.url}/teams/main/pipelines/raft`);
    await page.getByRole('heading', { name: 'raft' }).waitFor();
    expect((await names(page)).toSorted()).toEqual(['boat', 'raft']);
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE24] warnings of a new pipeline are shown before its page', async () => {
    await using watched = await site.open('/new-pipeline');
    const { page, complaints } = watched;
    await page.getByLabel('Name').fill('Upper');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByRole('button', { name: 'Set the pipeline' }).click();
    await page.getByRole('status').getByText("pipeline: 'Upper' is not a valid identifier").waitFor();
    await page.getByRole('link', { name: 'Go to Upper' }).click();
    await page.waitForURL(`${site.url}/teams/main/pipelines/Upper`);
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE22] a configuration is read, changed after a look at the changes, and refused with the reasons', async () => {
    await site.fly.setPipeline('boat', YAML);
    await using watched = await site.open('/teams/main/pipelines/boat');
    const { page, complaints } = watched;
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.locator('pre.config', { hasText: '- name: j' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const text = page.getByRole('textbox', { name: 'Configuration' });
    await text.fill('jobs:\n- name: j\n  plan:\n  - get: nothing\n');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.locator('.line-added', { hasText: '+   - get: nothing' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Set the pipeline' }).click();
    await page.getByRole('alert').getByText("unknown resource 'nothing'").waitFor();
    // The browser itself reports the refused request.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('400 (Bad Request)')]);
    await page.getByRole('button', { name: 'Go on editing' }).click();
    await text.fill('jobs:\n- name: k\n  plan: []\n');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByRole('button', { name: 'Set the pipeline' }).click();
    await page.getByText('The pipeline is set.').waitFor();
    await page.locator('pre.config', { hasText: '- name: k' }).waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await text.fill('jobs:\n- name: mine\n  plan: []\n');
    await site.fly.setPipeline('boat', 'jobs: [{ name: theirs, plan: [] }]');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByRole('button', { name: 'Set the pipeline' }).click();
    await page.getByRole('alert').getByText('Somebody else has set the pipeline').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('pre.config', { hasText: '- name: theirs' }).waitFor();
    expect(complaints).toEqual([expect.stringContaining('500 (Internal Server Error)')]);
  });

  test('[UI-PAGE23] caches and versions are cleared after a question, and a resource type is checked', async () => {
    const yaml = `
resource_types: [{ name: mine, type: registry-image, source: { repository: registry.invalid/mine } }]
resources: [{ name: repo, type: time, source: { interval: 24h } }]
jobs: [{ name: unit, plan: [{ get: repo }, { task: test, file: repo/test.yml }] }]`;
    await site.fly.setPipeline('caches', yaml);
    await using watched = await site.open('/teams/main/pipelines/caches/jobs/unit');
    const { page, complaints } = watched;
    const dialog = page.getByRole('dialog');
    const close = () => dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Clear task cache' }).click();
    await dialog.getByRole('option', { name: 'test' }).waitFor({ state: 'attached' });
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Clear the caches' }).click();
    await dialog.getByText('There was no cache to remove.').waitFor();
    await close();
    await page.goto(`${site.url}/teams/main/pipelines/caches/resources/repo`);
    await page.getByRole('button', { name: 'Clear cache' }).click();
    await dialog.getByRole('button', { name: 'Clear the cache' }).click();
    await dialog.getByText('There was no cached version to remove.').waitFor();
    await close();
    await page.getByRole('button', { name: 'Clear versions' }).click();
    await dialog.getByRole('button', { name: 'Clear the versions' }).click();
    await dialog.getByText(/removed?\./).waitFor();
    await close();
    await page.goto(`${site.url}/teams/main/pipelines/caches`);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.locator('.last-check').waitFor();
    expect(complaints).toEqual([]);
  });
});
