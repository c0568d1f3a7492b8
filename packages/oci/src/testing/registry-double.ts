import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MediaType } from '../descriptor.ts';
import { digestOf } from '../registry/documents.ts';
import type { TestImage } from './test-image.ts';

/** Answers a request itself, by returning true. */
export type Interceptor = (request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean;

/** A registry in this process, for the odd answers that a real one gives seldom. */
export class RegistryDouble implements AsyncDisposable {
  readonly host: string;
  readonly requests: string[] = [];
  intercept: Interceptor = () => false;
  readonly #blobs = new Map<string, Buffer>();
  readonly #manifests = new Map<string, { bytes: Buffer; type: string }>();
  readonly #server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<RegistryDouble> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const double = new RegistryDouble(server);
    server.on('request', (request, response) => double.#answer(request, response));
    return double;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  add(name: string, tag: string, image: TestImage): void {
    this.#blobs.set(digestOf(image.config), image.config);
    for (const { descriptor, bytes } of image.layers) this.#blobs.set(descriptor.digest, bytes);
    for (const by of [tag, image.digest]) this.addManifest(name, by, image.manifest, image.mediaType);
  }

  addManifest(name: string, by: string, bytes: Buffer, type: string): void {
    this.#manifests.set(`${name}/${by}`, { bytes, type });
  }

  addIndex(name: string, tag: string, images: readonly { image: TestImage; platform: object }[]): string {
    const manifests = images.map(({ image, platform }) => {
      this.add(name, image.digest, image);
      return { mediaType: image.mediaType, digest: image.digest, size: image.manifest.length, platform };
    });
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: MediaType.index, manifests }));
    for (const by of [tag, digestOf(bytes)]) this.addManifest(name, by, bytes, MediaType.index);
    return digestOf(bytes);
  }

  blobOf(url: string): Buffer | undefined {
    return this.#blobs.get(/\/blobs\/(sha256:[0-9a-f]+)$/.exec(url)?.[1] ?? '');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '';
    this.requests.push(`${request.method} ${url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.intercept(request, response, Buffer.concat(chunks))) return;
    const manifest = this.#manifests.get(url.replace(/^\/v2\//, '').replace('/manifests/', '/'));
    const found = manifest?.bytes ?? this.blobOf(url);
    if (!found) {
      response.writeHead(404).end(JSON.stringify({ errors: [{ code: 'NOT_FOUND', message: 'no such thing' }] }));
      return;
    }
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const part = found.subarray(start);
    response.writeHead(start > 0 ? 206 : 200, {
      'content-length': part.length,
      'content-type': manifest?.type ?? 'application/octet-stream',
      ...(manifest && { 'docker-content-digest': digestOf(found) }),
      ...(start > 0 && { 'content-range': `bytes ${start}-${found.length - 1}/${found.length}` }),
    });
    response.end(request.method === 'HEAD' ? undefined : part);
  }
}
