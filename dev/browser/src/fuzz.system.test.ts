import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IdleWeb } from './testing/idle-web.ts';
import { signIn } from './testing/test-browser.ts';
import { useTestSite } from './testing/test-site.ts';

const ESC = '\x1b';
/** What a stranger's program might print so that a page runs, loads or leads to something. */
const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</span></div><script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  "'><iframe srcdoc='<script>parent.alert(1)</script>'>",
  '<a href="javascript:alert(1)">x</a>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '<style>*{display:none}</style>',
  '&lt;b&gt; &#x3c;script&#x3e;',
  '{{constructor.constructor("alert(1)")()}}',
  `${ESC}]8;;javascript:alert(1)\x07link${ESC}]8;;\x07`,
  `${ESC}]8;;data:text/html,x\x07link${ESC}]8;;\x07`,
  `${ESC}]8;;https://good.example/"onclick="alert(1)\x07link${ESC}]8;;\x07`,
  `${ESC}[38;2;1;2;3;url(//evil.example)m`,
  `${ESC}[999999999C${ESC}[999999999A${ESC}[K`,
  'https://good.example/<img/src=x>',
  'http://[::1]/%00',
  '\u202etxt.exe\u2066',
  '\u2028\u2029\ufeff',
  '\u{1f600}',
  '__proto__',
  'x'.repeat(3_000),
];

describe.skipIf(whyNoRoot())('strangers print on the page', () => {
  let build: number;
  const site = useTestSite(IdleWeb.start, async ({ fly }) => {
    await fly.setPipeline('fuzz', 'jobs: [{ name: j, plan: [] }]');
    build = await fly.trigger('fuzz', 'j');
    await fly.log(build, AbortSignal.timeout(60_000)); // to its end
  });

  test('[UI-SAFE1] no log, name, version or metadata becomes markup, a script, a request or a link to anything but the web', async () => {
    await using watched = await site.browser.openPage();
    const { page, complaints } = watched;
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const strangers: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(site.url)) strangers.push(request.url());
    });
    await signIn(page, site.url, '/');
    await page.locator('#user-id').waitFor();
    const text = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 8 })), {
      minLength: 1,
      maxLength: 4,
    });
    const word = text.map((parts) => parts.join(' ').replaceAll('\0', ''));
    const steps = fc.record({ name: word, lines: fc.array(word, { maxLength: 30 }), value: word, key: word });
    await fc.assert(
      fc.asyncProperty(steps, async ({ name, lines, value, key }) => {
        await site.web.fillLog(build, [
          { name, exitStatus: 1, lines: [...lines, ...HOSTILE, 'the end'] },
          { name, exitStatus: 1, lines, got: { version: { [key]: value }, metadata: [{ name: key, value }] } },
        ]);
        await page.goto(`${site.url}/teams/main/pipelines/fuzz/jobs/j/builds/1`);
        await page.getByText('the end').waitFor();
        await page.getByRole('button', { name: 'Open all' }).click();
        const odd = await page.evaluate(`[
          ...document.querySelectorAll('main :is(img, iframe, script, style, object, embed, form, base, meta, link, video, audio)'),
          ...document.querySelectorAll('main svg:not(.icon, .mark)'),
          ...[...document.querySelectorAll('a[href]')].filter(({ href }) => !/^https?:/.test(href)),
          ...[...document.querySelectorAll('*')].filter((each) => [...each.attributes].some(({ name }) => name.startsWith('on'))),
        ].map(({ outerHTML }) => outerHTML.slice(0, 200))`);
        expect({ odd, dialogs, complaints, strangers }).toEqual({
          odd: [],
          dialogs: [],
          complaints: [],
          strangers: [],
        });
      }),
      { numRuns: 15 },
    );
  });
});
