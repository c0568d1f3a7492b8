import { type AppContext, addSandboxRoutes, bearer, createApp, errorAnswer } from './app.ts';
import { BaggageclaimError } from './baggageclaim-error.ts';
import { selfSignedCertificate } from './certificate.ts';
import { requireScope } from './grants.ts';
import { HijackSession } from './hijack-session.ts';
import { httpPull } from './http-pull.ts';
import { ROUTES } from './protocol.ts';
import type { SocketHandler } from './runtime/runtime.ts';
import { openSandbox, type Sandbox, type SandboxDirectories } from './sandbox.ts';
import { contextOf, type ServerOptions, type Serving } from './serve-options.ts';

/** Serves a sandbox, as its sidecar. */
export async function serveSandbox(options: ServerOptions, directories: SandboxDirectories): Promise<Serving> {
  const { runtime, at, handle } = options;
  const context = await contextOf(options); // nothing is touched for a key that is none
  const [sandbox, certificate] = await Promise.all([
    openSandbox(directories, { runtime, pull: httpPull(runtime) }),
    selfSignedCertificate(handle),
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
    if (new URL(request.url).pathname !== ROUTES.hijack) throw new BaggageclaimError('not-found', 'no WebSocket here');
    const token = bearer(request.headers.get('Authorization') ?? undefined);
    requireScope(await context.verify(token, context.now()), 'hijack');
    return new HijackSession(sandbox.link);
  } catch (error) {
    const { status, body } = errorAnswer(error as Error);
    return Response.json(body, { status });
  }
}
