import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import { serverCertificate } from '../../protocol/certificate.ts';
import { ROUTES } from '../../protocol/messages.ts';
import type { SandboxDirectories } from '../../protocol/places.ts';
import { type AppContext, bearer, createApp, errorAnswer } from '../http/app.ts';
import { requireScope } from '../http/grants.ts';
import { createContext, type ServerOptions, type Serving } from '../http/serve-options.ts';
import type { SocketHandler } from '../runtime/runtime.ts';
import { httpPull } from '../trees/http-pull.ts';
import { HijackSession } from './hijack-session.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { addSandboxRoutes } from './sandbox-routes.ts';

/** Serves a sandbox, as its sidecar. */
export async function serveSandbox(options: ServerOptions, directories: SandboxDirectories): Promise<Serving> {
  const { runtime, at, handle } = options;
  const context = await createContext(options); // first, so that a malformed key leaves no traces
  const [sandbox, certificate] = await Promise.all([
    openSandbox(directories, { runtime, pull: httpPull(runtime) }),
    serverCertificate(handle, options.authorityKey),
  ]);
  const app = createApp(context, () => sandbox.link.connected);
  addSandboxRoutes(app, runtime, sandbox);
  const upgrade = (request: Request) => openHijack(context, sandbox, request);
  const listener = await runtime.serve({ at, fetch: app.fetch, certificate, upgrade });
  return {
    address: listener.address,
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await listener.stop();
    },
  };
}

async function openHijack(context: AppContext, sandbox: Sandbox, request: Request): Promise<SocketHandler | Response> {
  try {
    if (new URL(request.url).pathname !== ROUTES.hijack)
      throw new BaggageclaimError('not-found', 'there is no WebSocket here');
    const token = bearer(request.headers.get('Authorization') ?? undefined);
    requireScope(await context.verify(token, context.now()), 'hijack');
    return new HijackSession(sandbox.link);
  } catch (error) {
    const { status, body } = errorAnswer(error as Error);
    return Response.json(body, { status });
  }
}
