import type { StatusBody } from './wire.ts';

/** The body of a refusal. Undefined if it is not one of an API server: a proxy has pages of its own. */
export function parseStatus(body: string): StatusBody | undefined {
  try {
    return JSON.parse(body) as StatusBody;
  } catch {
    return undefined;
  }
}
