import * as v from 'valibot';
import { isJsonObject, json } from '../fields.ts';
import { goValue } from '../text/go-text.ts';
import type { Json } from '../values.ts';
import type { PutInputs, VersionChoice } from './step.ts';

const readVersion = v.rawTransform<Json, VersionChoice>(({ dataset, addIssue, NEVER }) => {
  const input = dataset.value;
  if (typeof input === 'string') return input === 'latest' || input === 'every' ? input : '';
  if (!isJsonObject(input)) {
    addIssue({ message: 'unknown type for version' });
    return NEVER;
  }
  const wrong = Object.entries(input).find(([, value]) => typeof value !== 'string');
  if (wrong === undefined) return input as Record<string, string>;
  addIssue({ message: `the value ${goValue(wrong[1])} of ${wrong[0]} is not a string` });
  return NEVER;
});

const readInputs = v.rawTransform<Json, PutInputs>(({ dataset, addIssue, NEVER }) => {
  const input = dataset.value;
  if (typeof input === 'string') return input === 'all' || input === 'detect' ? input : '';
  if (!Array.isArray(input)) {
    addIssue({ message: 'unknown type for put inputs' });
    return NEVER;
  }
  const wrong = input.find((item) => typeof item !== 'string');
  if (wrong === undefined) return (input as string[]).map((item) => item.trim());
  addIssue({ message: `non-string put input: ${goValue(wrong)}` });
  return NEVER;
});

/** `latest`, `every` or the fields of one version. Any other text is accepted and has no effect. */
export const versionChoice = v.pipe(json, readVersion);

/** `all`, `detect` or names of artifacts. Any other text is accepted and means no inputs. */
export const putInputs = v.pipe(json, readInputs);
