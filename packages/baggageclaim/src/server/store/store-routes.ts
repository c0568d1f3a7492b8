import * as v from 'valibot';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { Grant } from '../../protocol/grant.ts';
import { type PullRequest, ROUTES } from '../../protocol/messages.ts';
import { type App, required, sendBytes, sendTar } from '../http/app.ts';
import { requireRead, requireScope } from '../http/grants.ts';
import { readBody } from '../http/read-body.ts';
import { artifactSource } from '../http/schemas.ts';
import type { ArtifactReceiver } from './artifact-receiver.ts';
import { type ArtifactStore, artifactNotFound } from './artifact-store.ts';
import type { ImageShelf } from './image-shelf.ts';

export interface StoreParts {
  readonly store: ArtifactStore;
  readonly receiver: ArtifactReceiver;
  readonly images: ImageShelf;
}

const pullRequest = v.object({ from: artifactSource }) satisfies v.GenericSchema<unknown, PullRequest>;

/** The routes of a target's store. */
export function addStoreRoutes(app: App, { store, receiver, images }: StoreParts): void {
  const artifact = `${ROUTES.artifact}/:id` as const;

  app.get(ROUTES.artifact, async (c) => {
    requireScope(c.get('grant'), 'store');
    return c.json(await store.list());
  });

  app.put(artifact, async (c) => {
    requireScope(c.get('grant'), 'store');
    const id = c.req.param('id');
    if (c.req.header('Content-Type') === 'application/json') {
      await receiver.pull(id, (await readBody(c, pullRequest)).from);
    } else {
      const body = c.req.raw.body;
      if (!body) throw new BaggageclaimError('bad-request', 'the request has no body');
      await receiver.receive(id, body);
    }
    return c.body(null, 204);
  });

  app.get(artifact, async (c) => {
    const id = c.req.param('id');
    requireArtifact(c.get('grant'), id);
    if (c.req.method !== 'HEAD') return sendTar(c, await store.get(id));
    await requireStored(store, id);
    return c.body(null, 200);
  });

  app.get(`${artifact}/file`, async (c) => {
    const id = c.req.param('id');
    requireArtifact(c.get('grant'), id);
    return sendBytes(c, await store.getFile(id, required(c, 'path')));
  });

  app.delete(artifact, async (c) => {
    requireScope(c.get('grant'), 'store');
    const id = c.req.param('id');
    await store.delete(id);
    await images.delete(id);
    return c.body(null, 204);
  });

  app.put(`${ROUTES.image}/:id`, async (c) => {
    requireScope(c.get('grant'), 'store');
    const id = c.req.param('id');
    await requireStored(store, id);
    return c.json(await images.make(id));
  });
}

async function requireStored(store: ArtifactStore, id: string): Promise<void> {
  if (!(await store.has(id))) throw artifactNotFound(id);
}

/** Web may read every artifact; another bearer only the one that its token names. */
function requireArtifact(grant: Grant, id: string): void {
  if (!grant.scope.includes('store')) requireRead(grant, `${ROUTES.artifact}/${id}`);
}
