import type { Descriptor, Digest } from '../descriptor.ts';
import type { LayerStore } from './layer-store.ts';
import { unpackLayer, verifyLayer } from './unpack-layer.ts';

/** For the build log. */
export type LayerEvent =
  /** `bytes` of the layer's compressed `size` have come. */
  | { readonly type: 'layer'; readonly digest: Digest; readonly bytes: number; readonly size: number }
  | { readonly type: 'unpacked'; readonly digest: Digest };

export interface LayerDeps {
  readonly layers: LayerStore;
  /** Turns the `.wh.` files of an unpacked layer into the whiteouts of an overlay. */
  readonly convertWhiteouts: (dir: string, signal: AbortSignal) => Promise<void>;
}

/** The layers of an image, the lowest first. There are as many diff ids as layers. */
export interface Layers {
  readonly layers: readonly Descriptor[];
  readonly diffIds: readonly Digest[];
}

/** The bytes of a layer, as its descriptor names them. */
export type OpenLayer = (layer: Descriptor, signal: AbortSignal) => AsyncIterable<Buffer>;

interface Options {
  readonly onEvent: (event: LayerEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * The directories of the layers, in their order; those that are not there are opened and unpacked, all at once. When one
 * fails the others are given up, and have ended before this throws.
 */
export async function provideLayers(
  deps: LayerDeps,
  { layers, diffIds }: Layers,
  open: OpenLayer,
  { onEvent, signal }: Options,
): Promise<string[]> {
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const results = await Promise.allSettled(
    layers.map(async (layer, i) => {
      const diffId = diffIds[i] as Digest;
      const bytes = (stop: AbortSignal) => counted(open(layer, stop), layer, onEvent);
      const fill = async (into: string, shared: AbortSignal) => {
        await unpackLayer(bytes(shared), diffId, into, shared);
        await deps.convertWhiteouts(into, shared);
        onEvent({ type: 'unpacked', digest: layer.digest });
      };
      const verify = (shared: AbortSignal) => verifyLayer(bytes(shared), diffId, shared);
      try {
        return await deps.layers.provide({ diffId, blob: layer.digest }, { fill, verify }, both);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    }),
  );
  signal.throwIfAborted();
  failed.signal.throwIfAborted(); // with the first failure
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

async function* counted(
  bytes: AsyncIterable<Buffer>,
  { digest, size }: Descriptor,
  onEvent: (event: LayerEvent) => void,
): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    onEvent({ type: 'layer', digest, bytes: received, size });
    yield chunk;
  }
}
