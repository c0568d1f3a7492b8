import { posix } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { Grant } from '../../protocol/grant.ts';
import { type PullRequest, ROUTES } from '../../protocol/messages.ts';
import { type App, json, required } from '../http/app.ts';
import { requireRead, requireScope } from '../http/grants.ts';
import { sendFile, sendTree } from '../http/send-tree.ts';
import { type Puller, pullTree } from '../trees/pull.ts';
import { readablePath } from '../trees/readable-path.ts';
import { unpack } from '../trees/tar.ts';
import type { ImageShelf } from './image-shelf.ts';
import type { Store } from './store.ts';

export interface StoreParts {
  readonly store: Store;
  readonly images: ImageShelf;
  readonly puller: Puller;
}

/** The routes of a target's store. */
export function addStoreRoutes(app: App, { store, images, puller }: StoreParts): void {
  const artifact = `${ROUTES.artifact}/:id` as const;
  // One who asked and left does not end it: another may have asked for the same.
  const { signal } = new AbortController();

  app.get(ROUTES.artifact, async (c) => {
    requireScope(c.get('grant'), 'store');
    return c.json(await store.list());
  });

  app.put(artifact, async (c) => {
    requireScope(c.get('grant'), 'store');
    const id = c.req.param('id');
    if (c.req.header('Content-Type') === 'application/json') {
      const { from } = await json<PullRequest>(c);
      await store.add(id, (into) =>
        pullTree(puller, from, into, signal).catch((cause: Error) => {
          throw new BaggageclaimError('unavailable', `the artifact ${id} could not be pulled: ${cause.message}`, {
            cause,
          });
        }),
      );
    } else {
      const body = c.req.raw.body;
      if (!body) throw new BaggageclaimError('bad-request', 'the request has no body');
      await store.add(id, (into) =>
        unpack(puller.runtime, body, into).catch((cause: Error) => {
          throw new BaggageclaimError('bad-request', `the artifact ${id} is no whole archive: ${cause.message}`, {
            cause,
          });
        }),
      );
    }
    return c.body(null, 204);
  });

  app.get(artifact, async (c) => {
    const id = c.req.param('id');
    requireArtifact(c.get('grant'), id);
    const path = await store.find(id);
    if (c.req.method === 'HEAD') return c.body(null, 200);
    return sendTree(c, puller.runtime, { path, kind: 'directory' });
  });

  app.get(`${artifact}/file`, async (c) => {
    const id = c.req.param('id');
    requireArtifact(c.get('grant'), id);
    const root = await store.find(id);
    const path = posix.join(root, posix.resolve('/', required(c, 'path')));
    return sendFile(c, await readablePath(path, root));
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
    return c.json(await images.make(id, await store.find(id)));
  });
}

/** Of web, anything; of others, the one that they were given a token for. */
function requireArtifact(grant: Grant, id: string): void {
  if (!grant.scope.includes('store')) requireRead(grant, `${ROUTES.artifact}/${id}`);
}
