import { type DirectoryStore, streamOf } from '@seaplane/baggageclaim/server';
import { HostError, type HostHealth, type SandboxSpec } from '@seaplane/orchestrator';
import { Hono } from 'hono';
import { type AgentInfo, CONTROL, type ControlError } from '../protocol.ts';
import type { LocalSandboxes } from './local-sandboxes.ts';

export interface ControlParts {
  readonly sandboxes: LocalSandboxes;
  readonly store: DirectoryStore;
  readonly info: AgentInfo;
  readonly check: () => Promise<HostHealth>;
}

/** The routes for the host in web. Whoever reaches the socket owns the worker's directory, so nothing is signed. */
export function createControlApp({ sandboxes, store, info, check }: ControlParts): Hono {
  const app = new Hono();
  app.get(CONTROL.info, (c) => c.json(info));
  app.get(CONTROL.check, async (c) => c.json(await check()));
  app.get(CONTROL.sandboxes, (c) => c.json(sandboxes.handles()));

  app.post(CONTROL.sandboxes, async (c) => {
    await sandboxes.create(store, (await c.req.json()) as SandboxSpec);
    return c.body(null, 204);
  });

  app.delete(`${CONTROL.sandboxes}/:handle`, (c) => {
    sandboxes.destroy(c.req.param('handle'));
    return c.body(null, 204);
  });

  app.get(CONTROL.watch, (c) => {
    const encoder = new TextEncoder();
    const lines = streamOf(async function* (signal) {
      for await (const event of sandboxes.watch(signal)) yield encoder.encode(`${JSON.stringify(event)}\n`);
    });
    return c.body(lines, 200, { 'Content-Type': 'application/x-ndjson' });
  });

  app.onError((error, c) => {
    const code = error instanceof HostError ? error.code : 'cannot-start';
    if (!(error instanceof HostError)) console.error(error.stack ?? error.message);
    return c.json({ code, message: error.message } satisfies ControlError, 500);
  });
  return app;
}
