import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../testing/any-text.ts';
import { labelValue, podName } from './labels.ts';

const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

test('[KUBE-POD2] a value that can be a label or a name is not changed', () => {
  expect(labelValue('my_pipeline.2')).toBe('my_pipeline.2');
  expect(podName('task-12-0ab1')).toBe('task-12-0ab1');
});

test('[KUBE-POD2] a value that can’t is still readable', () => {
  expect(labelValue('my pipeline/größe')).toMatch(/^my-pipeline-gr-e-[0-9a-f]{16}$/);
  expect(podName('Task_12')).toMatch(/^task-12-[0-9a-f]{16}$/);
});

test('[KUBE-POD2] any text becomes a valid label value and a valid name', () => {
  fc.assert(
    fc.property(anyText(100), (text) => {
      expect(labelValue(text)).toMatch(LABEL_VALUE);
      expect(podName(text)).toMatch(DNS_LABEL);
    }),
  );
});

test('[KUBE-POD2] different texts do not become the same', () => {
  const long = 'x'.repeat(80);
  for (const of of [labelValue, podName]) {
    const texts = ['a b', 'a-b', 'a/b', 'A b', 'a b ', long, `${long}y`, '-', '--'];
    expect(new Set(texts.map(of)).size).toBe(texts.length);
  }
});
