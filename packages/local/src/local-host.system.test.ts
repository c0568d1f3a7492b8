import { describeSandboxHost } from '@seaplane/orchestrator/testing';
import { describe } from 'vitest';
import { openTestHost, whyNoLocalHost } from './testing/test-host.ts';

describe.skipIf(whyNoLocalHost())('on this machine', () => {
  describeSandboxHost('the local host', async () => {
    const opened = await openTestHost();
    return {
      host: opened.host,
      image: 'host',
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    };
  });
});
