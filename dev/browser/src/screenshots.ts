import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { ApiUser, LocalWeb } from '@seaplane/web/testing';
import type { Page } from 'playwright-core';
import { signIn, TestBrowser } from './testing/test-browser.ts';

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 375, height: 740 } } as const;
const THEMES = ['light', 'dark'] as const;

const YAML = `
resources:
- { name: nightly, type: time, source: { interval: 24h } }
jobs:
- name: unit
  plan:
  - { get: nightly, trigger: true }
  - task: test
    config:
      platform: linux
      run: { path: sh, args: [-c, 'for i in $(seq 40); do printf "\\033[32mok\\033[0m %d a test that passes\\n" $i; done'] }
- name: lint
  plan:
  - { get: nightly, trigger: true }
  - { task: lint, config: { platform: linux, run: { path: echo, args: [clean] } } }
- name: deploy
  plan:
  - { get: nightly, passed: [unit, lint] }
  - in_parallel:
    - { task: build, config: { platform: linux, run: { path: sleep, args: ['3'] } } }
    - task: smoke
      config:
        platform: linux
        run: { path: sh, args: [-c, 'sleep 1; echo "GET https://ci.example.com/health"; printf "\\033[31mFAIL\\033[0m expected 200, got 503\\n"; exit 1'] }
    on_failure: { task: notify, config: { platform: linux, run: { path: echo, args: ['the team was told'] } } }
- name: soak
  plan: [{ task: soak, config: { platform: linux, run: { path: sh, args: [-c, 'for i in $(seq 600); do echo "minute $i"; sleep 1; done'] } } }]
`;

/** A page with the name of its picture. `ready` is there when the page is. */
interface Shot {
  readonly name: string;
  readonly path: string;
  readonly ready: string;
  readonly act?: (page: Page) => Promise<void>;
}

const JOB = '/teams/main/pipelines/shop/jobs';
const SHOTS: readonly Shot[] = [
  { name: 'dashboard', path: '/', ready: '.card' },
  { name: 'list', path: '/hd', ready: '.card' },
  { name: 'no-match', path: '/?search=nothing-like-it', ready: '.message' },
  { name: 'pipeline', path: '/teams/main/pipelines/shop', ready: '.job-node' },
  {
    name: 'manage',
    path: '/teams/main/pipelines/shop',
    ready: '.job-node',
    act: (page) => page.getByRole('button', { name: 'Manage' }).click(),
  },
  { name: 'configuration', path: '/teams/main/pipelines/shop/config', ready: 'pre.config' },
  { name: 'job', path: `${JOB}/unit`, ready: 'tr[data-build-name]' },
  { name: 'build-failed', path: `${JOB}/deploy/builds/1`, ready: '.step-body' },
  { name: 'build-running', path: `${JOB}/soak/builds/1`, ready: '.log-line' },
  { name: 'build-green', path: `${JOB}/unit/builds/1`, ready: '.step' },
  { name: 'timeline', path: `${JOB}/deploy/builds/1?view=timeline`, ready: '.timeline-bar' },
  {
    name: 'find',
    path: `${JOB}/unit/builds/1`,
    ready: '.step',
    act: async (page) => {
      await page.getByRole('searchbox', { name: 'Find in all logs' }).fill('passes');
      await page.getByText('40 hits').waitFor();
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'terminal',
    path: `${JOB}/soak/builds/1`,
    ready: '.log-line',
    act: async (page) => {
      await page.getByRole('button', { name: 'Open a terminal' }).click();
      await page.getByText('F6 leaves the terminal').waitFor();
      await page.keyboard.type('id; ls -la\n');
      await page.locator('.xterm-rows', { hasText: 'total' }).waitFor();
    },
  },
  { name: 'new-pipeline', path: '/new-pipeline', ready: 'textarea' },
  { name: 'activity', path: '/activity', ready: '.activity table' },
  { name: 'workers', path: '/workers', ready: '.worker' },
  { name: 'palette', path: '/', ready: '.card', act: (page) => page.keyboard.press('Control+k') },
  { name: 'help', path: '/', ready: '.card', act: (page) => page.keyboard.press('?') },
  { name: 'not-found', path: '/teams/main/pipelines/none', ready: '.message' },
  { name: 'no-page', path: '/nowhere', ready: '.message' },
  { name: 'fly', path: '/fly_success?noop=true', ready: 'main h1' },
  { name: 'download-fly', path: '/download-fly', ready: 'h1' },
  { name: 'health', path: '/health-page', ready: 'h1' },
];

const progress = stderrProgress('screenshots');

/** Waits until a build has this status. */
async function untilStatus(fly: ApiUser, job: string, status: string): Promise<void> {
  while ((await fly.builds('shop', job)).at(-1)?.status !== status) await new Promise((next) => setTimeout(next, 200));
}

/** Pictures of every page in both themes and two sizes, of a real web whose steps run on this machine. */
async function main(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await using browser = await TestBrowser.start();
  await using local = await LocalWeb.start();
  const fly = await ApiUser.login(local.web.url);
  await fly.setPipeline('shop', YAML);
  await fly.setPipeline('website', 'jobs: [{ name: publish, plan: [] }]');
  for (const job of ['unit', 'lint']) await untilStatus(fly, job, 'succeeded');
  await fly.trigger('shop', 'soak');
  await fly.trigger('shop', 'deploy');
  await untilStatus(fly, 'deploy', 'failed');
  for (const theme of THEMES) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      await using watched = await browser.openPage({ viewport, colorScheme: theme });
      const { page } = watched;
      const save = (name: string) => page.screenshot({ path: join(folder, `${name}-${theme}-${size}.png`) });
      await page.goto(`${local.web.url}/sky/login`);
      await save('sign-in');
      await signIn(page, local.web.url, '/');
      for (const { name, path, ready, act } of SHOTS) {
        await page.goto(local.web.url + path);
        await page.locator(ready).first().waitFor();
        await act?.(page);
        await save(name);
      }
      progress(`${theme}, ${size}: ${SHOTS.length + 1} pictures`);
    }
  }
  progress(`done: ${folder}`);
}

await main(resolve(process.argv[2] ?? 'screenshots'));
