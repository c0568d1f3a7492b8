import { describeSandboxHost, InMemoryHost } from './testing/index.ts';

describeSandboxHost('the in-memory host', async () => ({
  host: new InMemoryHost(),
  image: 'busybox',
  [Symbol.asyncDispose]: async () => {},
}));
