import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const PIPELINE = `
resources:
- { name: repository, type: git, icon: github, source: { uri: "https://example.com/r.git" } }
- { name: registry, type: registry-image, icon: si/docker, source: { repository: r } }
- { name: unknown, type: git, icon: an-icon-of-nobody, source: { uri: "https://example.com/u.git" } }
- { name: plain, type: git, source: { uri: "https://example.com/p.git" } }
jobs:
- name: test
  plan: [{ get: repository }, { get: registry }, { get: unknown }, { get: plain }]
`;

describe('icons of resources', () => {
  const site = useTestSite(IdleWeb.start, async ({ fly }) => {
    await fly.setPipeline('icons', PIPELINE);
  });

  test('[UI-ICON2] the graph, the table and the page of a resource show its icon, and none that is not there', async () => {
    const drawn = new Map<string, Promise<number | undefined>>();
    await using watched = await site.open('/teams/main/pipelines/icons');
    const { page, complaints } = watched;
    page.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url());
      const status = request.response().then((response) => response?.status());
      if (pathname.startsWith('/icons/')) drawn.set(pathname, status);
    });
    await page.reload();
    const nodes = page.locator('.resource-node');
    const inGraph = (name: string) => nodes.filter({ hasText: name }).locator('image');
    await inGraph('repository').waitFor();
    await inGraph('registry').waitFor();
    expect(await page.locator('#resources .resource-icon').count()).toBe(3);
    await expect.poll(() => drawn.size).toBe(3);
    const answers = await Promise.all([...drawn].map(async ([path, status]) => [path, await status]));
    expect(Object.fromEntries(answers)).toEqual({
      '/icons/mdi/github.svg': 200,
      '/icons/si/docker.svg': 200,
      '/icons/mdi/an-icon-of-nobody.svg': 404,
    });
    await inGraph('unknown').waitFor({ state: 'detached' });
    expect(await inGraph('plain').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    // The browser itself reports the icon that is not there, and nothing else.
    expect(complaints.filter((text) => !text.includes('the server responded with a status of 404'))).toEqual([]);
  });

  test.for(['light', 'dark'] as const)(
    '[UI-ICON2] icons have the colour of text, on a %s page',
    async (colorScheme) => {
      await using watched = await site.open('/teams/main/pipelines/icons', { colorScheme });
      const { page } = watched;
      const inGraph = (name: string) => page.locator('.resource-node', { hasText: name }).locator('image');
      await expect
        .poll(() => coloursOf(page, inGraph('repository')))
        .toContain(await colourOf(page, '.resource-node text', 'fill'));
      const inHead = page.locator('h1 .resource-icon');
      await page.goto(`${site.url}/teams/main/pipelines/icons/resources/registry`);
      await expect.poll(() => coloursOf(page, inHead)).toContain(await colourOf(page, 'h1', 'color'));
      await page.goto(`${site.url}/teams/main/pipelines/icons/resources/unknown`);
      expect(await coloursOf(page, inHead)).toHaveLength(1);
    },
  );
});

async function colourOf(page: Page, selector: string, property: 'color' | 'fill'): Promise<string> {
  await page.locator(selector).first().waitFor();
  return page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`);
}

/** The colours that are painted where this element is, as `rgb(r, g, b)`. */
async function coloursOf(page: Page, element: Locator): Promise<readonly string[]> {
  const png = (await element.screenshot()).toString('base64');
  return page.evaluate<readonly string[]>(`(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,${png}';
    await picture.decode();
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) colours.add('rgb(' + data.slice(at, at + 3).join(', ') + ')');
    return [...colours];
  })()`);
}
