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

test('[UI-GRAPH3] a picture on a server that the operator has named is shown', () => {
  const others = ['https://pictures.example.com'];
  const of = (background_image: string) => backgroundOf({ background_image }, HERE, others);
  const address = 'https://pictures.example.com/a.png';
  expect(of(address)).toEqual({ backgroundImage: `url("${address}")` });
  expect(of('https://pictures.example.com.evil.example.com/a.png')).toBeUndefined();
  expect(of('http://pictures.example.com/a.png')).toBeUndefined();
});
