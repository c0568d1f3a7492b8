import { expect, test } from 'vitest';
import { backgroundOf } from './background.ts';

const HERE = 'https://ci.example.com';

test.for([
  [undefined, undefined],
  [{ background_image: 7 }, undefined],
  [{ background_image: 'https://elsewhere.example.com/a.png' }, undefined],
  [{ background_image: 'javascript:alert(1)' }, undefined],
  [{ background_image: 'data:text/html,x' }, undefined],
  [{ background_image: '/public/a.png' }, { backgroundImage: `url("${HERE}/public/a.png")` }],
  [
    { background_image: 'data:image/png;base64,AAAA', background_filter: 'opacity(30%)' },
    { backgroundImage: 'url("data:image/png;base64,AAAA")', filter: 'opacity(30%)' },
  ],
  [
    { background_image: 'data:image/png,"); color: red' },
    { backgroundImage: 'url("data:image/png,%22); color: red")' },
  ],
] as const)('[UI-GRAPH3] the background %j', ([display, background]) => {
  expect(backgroundOf(display, HERE)).toEqual(background);
});
