import { describeSandboxHost } from '@seaplane/orchestrator/testing';
import { describe } from 'vitest';
import { openDialledHost } from '../testing/dialled-host.ts';
import { whyNoLocalHost } from '../testing/test-host.ts';

describe.skipIf(whyNoLocalHost())('over a connection that a machine has dialled', () => {
  describeSandboxHost('the remote host', async () => {
    const opened = await openDialledHost({ platform: 'linux', plainProcesses: false });
    return { host: opened.host, image: 'host', [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  });
});
