import type { Context } from 'hono';
import * as v from 'valibot';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { Grant } from '../../protocol/grant.ts';
import { type ImageAnswer, type PullRequest, ROUTES, type StoreLimits } from '../../protocol/messages.ts';
import { type App, type AppContext, required, sendBytes, sendTar } from '../http/app.ts';
import { requireRead, requireScope } from '../http/grants.ts';
import { readBody } from '../http/read-body.ts';
import { artifactSource, registryImageRequest } from '../http/schemas.ts';
import { withWholeBody } from '../http/whole-body.ts';
import { type Accounts, imageKey, type SetBytes } from './accounts.ts';
import type { ArtifactReceiver } from './artifact-receiver.ts';
import { type ArtifactStore, artifactNotFound } from './artifact-store.ts';
import { messagesOf, type ProvideRegistryImage } from './registry-image-messages.ts';

/** Makes images of stored artifacts. */
export interface ArtifactImages {
  make(id: string, setBytes: SetBytes): Promise<ImageAnswer>;
  delete(id: string): Promise<void>;
}

export interface StoreParts {
  readonly store: ArtifactStore;
  readonly receiver: ArtifactReceiver;
  readonly images: ArtifactImages;
  readonly provideRegistryImage: ProvideRegistryImage;
  readonly accounts: Accounts;
}

const pullRequest = v.object({ from: artifactSource }) satisfies v.GenericSchema<unknown, PullRequest>;

/** The routes of a target's store. */
export function addStoreRoutes(app: App, parts: StoreParts): void {
  const { store, receiver, images, provideRegistryImage, accounts } = parts;
  const artifact = `${ROUTES.artifact}/:id` as const;

  app.get(ROUTES.artifact, async (c) => {
    requireScope(c.get('grant'), 'list');
    return c.json(await store.list());
  });

  app.put(artifact, async (c) => {
    const id = c.req.param('id');
    requireScope(c.get('grant'), `put:${id}`);
    const { body, signal } = c.req.raw;
    const arrival = { id, limits: limitsOf(c), signal };
    if (c.req.header('Content-Type') === 'application/json') {
      await receiver.pull(arrival, (await readBody(c, pullRequest)).from);
    } else {
      if (!body) throw new BaggageclaimError('bad-request', 'the request has no body');
      await withWholeBody(body, (tar) => receiver.receive(arrival, tar));
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
    const id = c.req.param('id');
    requireScope(c.get('grant'), `delete:${id}`);
    await store.delete(id);
    await images.delete(id);
    for (const key of [id, imageKey(id)]) await accounts.forget(key);
    return c.body(null, 204);
  });

  app.put(`${ROUTES.image}/:id`, async (c) => {
    const id = c.req.param('id');
    requireScope(c.get('grant'), `image:${id}`);
    await requireStored(store, id);
    return c.json(await accounts.charge(imageKey(id), limitsOf(c), (set) => images.make(id, set)));
  });

  app.post(ROUTES.registryImage, async (c) => {
    requireScope(c.get('grant'), 'registry-image');
    const request = await readBody(c, registryImageRequest);
    return c.body(messagesOf(provideRegistryImage, request), 200, { 'Content-Type': 'application/x-ndjson' });
  });
}

async function requireStored(store: ArtifactStore, id: string): Promise<void> {
  if (!(await store.has(id))) throw artifactNotFound(id);
}

/** A request without limits has none. */
function limitsOf(c: Context): StoreLimits {
  const bytes = (name: string): number => {
    const value = Number(c.req.query(name) ?? Number.MAX_SAFE_INTEGER);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw new BaggageclaimError('bad-request', `${name} is not a number of bytes`);
  };
  return { team: c.req.query('team') ?? '', artifactBytes: bytes('artifactBytes'), teamBytes: bytes('teamBytes') };
}

/** Where this machine has an artifact. Refuses as a request for it would. */
export async function locateArtifact(
  { verify, now }: Pick<AppContext, 'verify' | 'now'>,
  store: { directoryOf(id: string): Promise<string> },
  id: string,
  token: string,
): Promise<string> {
  requireArtifact(await verify(token, now()), id);
  return store.directoryOf(id);
}

function requireArtifact(grant: Grant, id: string): void {
  requireRead(grant, `${ROUTES.artifact}/${id}`);
}
