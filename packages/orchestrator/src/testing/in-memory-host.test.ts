import { describeSandboxHost, InMemoryHost } from './index.ts';

describeSandboxHost('the in-memory host', async () => ({
  host: new InMemoryHost(),
  image: 'busybox',
  [Symbol.asyncDispose]: async () => {},
}));
