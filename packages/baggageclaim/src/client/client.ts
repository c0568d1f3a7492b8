import type { IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { BaggageclaimError } from '../protocol/baggageclaim-error.ts';
import type { GrantScope } from '../protocol/grant.ts';
import { type Health, type ImageAnswer, ROUTES, type StoreLimits } from '../protocol/messages.ts';
import type { Authority } from './authority.ts';
import type { BaggageclaimClient } from './client-interface.ts';
import { openHijack } from './hijack.ts';
import {
  type Call,
  type Connect,
  createAgent,
  type HttpClientOptions,
  readAll,
  send,
  sendForJson,
} from './http-client.ts';
import { followOutput } from './output.ts';
import { type AskedFile, readFileAnswer } from './read-file-answer.ts';
import { readRegistryImage } from './read-registry-image.ts';
import type { Signer } from './signer.ts';

export interface ClientOptions {
  /** The name of the sandbox or store. Tokens are made for it. */
  readonly handle: string;
  /** The name in the server's certificate; default the handle. A server of many sandboxes has one name. */
  readonly serverName?: string;
  /** `https://HOST:PORT`, and the path in front of its routes, as web reaches it. */
  readonly url: string;
  /** The same server as other pods reach it; default `url`. */
  readonly podUrl?: string;
  /** How much a store may keep; default no limits. */
  readonly limits?: Omit<StoreLimits, 'team'>;
  readonly sign: Signer['sign'];
  /** The certificate of the worker's authority. A server that it has not signed for the handle gets nothing. */
  readonly authority: string;
  /** Opens the way to a server that web can't connect to. */
  readonly connect?: Connect;
  /** Keeps connections open between calls; may be shared by many clients. */
  readonly agent?: Agent;
}

const REQUEST_SECONDS = 60;
/** Sources are pulled after the image of the reading pod, which may take long. */
const SOURCE_SECONDS = 3600;

/** Makes a client of one sidecar or store. It connects at the first call. */
export function createClient({
  handle,
  serverName = handle,
  url,
  podUrl = url,
  limits,
  sign,
  authority,
  connect,
  agent = createAgent(true, connect),
}: ClientOptions): BaggageclaimClient {
  const token = (scope: readonly GrantScope[], seconds: number) =>
    sign({ aud: handle, exp: Math.floor(Date.now() / 1000) + seconds, scope });
  const options: HttpClientOptions = {
    url,
    server: { name: serverName, authority },
    agent,
    connect,
    token: (scope) => token(scope, REQUEST_SECONDS),
  };
  const call = (method: Call['method'], path: string, scope: readonly GrantScope[], body?: Call['body']): Call => ({
    method,
    path,
    scope,
    ...(body && { body }),
  });
  const sendToEnd = async (asked: Call, signal: AbortSignal): Promise<void> => {
    await readAll(await send(options, asked, signal));
  };
  const source = (path: string, scope: `read:${string}`) => ({
    url: podUrl + path,
    server: { name: serverName, authority },
    token: token([scope], SOURCE_SECONDS),
  });
  const treePath = (path: string) => `${ROUTES.tree}?path=${encodeURIComponent(path)}`;
  const filePath = (directory: string, file: string) =>
    `${ROUTES.file}?${new URLSearchParams({ path: directory, file })}`;
  const readScope = (id: string) => `read:${ROUTES.artifact}/${id}` as const;
  const artifactPath = (id: string) => `${ROUTES.artifact}/${encodeURIComponent(id)}`;
  const limited = (path: string, team: string) => {
    const query = limits && { artifactBytes: String(limits.artifactBytes), teamBytes: String(limits.teamBytes) };
    return `${path}?${new URLSearchParams({ team, ...query })}`;
  };

  return {
    health: (signal) => sendForJson<Health>(options, call('GET', ROUTES.health, []), signal),
    run: (request, signal) => sendToEnd(call('POST', ROUTES.run, ['run'], request), signal),
    output: (process, from, signal, onAnswer) => followOutput(options, process, from, signal, onAnswer),
    signal: (request, signal) => sendToEnd(call('POST', ROUTES.signal, ['run'], request), signal),
    forget: (id, signal) => sendToEnd(call('DELETE', `${ROUTES.run}?id=${encodeURIComponent(id)}`, ['run']), signal),
    hijack: (request, signal) => openHijack(options, request, signal),
    async readTree(path, signal) {
      return toWeb(await send(options, call('GET', treePath(path), [`read:${path}`]), signal));
    },
    readFile: (directory, file, maxBytes, signal) =>
      fileOrNothing(
        options,
        call('GET', filePath(directory, file), [`read:${directory}`]),
        { path: file, maxBytes },
        signal,
      ),
    sourceOf: (path) => source(treePath(path), `read:${path}`),

    putArtifact: (id, team, tar, signal) =>
      sendToEnd(call('PUT', limited(artifactPath(id), team), [`put:${id}`], tar), signal),
    pullArtifact: (id, team, from, signal) =>
      sendToEnd(call('PUT', limited(artifactPath(id), team), [`put:${id}`], { from }), signal),
    hasArtifact: async (id, signal) =>
      (await ifThere(sendToEnd(call('HEAD', artifactPath(id), [readScope(id)]), signal).then(() => true))) ?? false,
    async readArtifact(id, signal) {
      return toWeb(await send(options, call('GET', artifactPath(id), [readScope(id)]), signal));
    },
    readArtifactFile: (id, path, maxBytes, signal) =>
      fileOrNothing(
        options,
        call('GET', `${artifactPath(id)}/file?path=${encodeURIComponent(path)}`, [readScope(id)]),
        { path, maxBytes },
        signal,
      ),
    artifactSource: (id) => source(artifactPath(id), readScope(id)),
    listArtifacts: (signal) => sendForJson<string[]>(options, call('GET', ROUTES.artifact, ['list']), signal),
    deleteArtifact: (id, signal) => sendToEnd(call('DELETE', artifactPath(id), [`delete:${id}`]), signal),
    makeImage: (id, team, signal) => {
      const path = limited(`${ROUTES.image}/${encodeURIComponent(id)}`, team);
      return sendForJson<ImageAnswer>(options, call('PUT', path, [`image:${id}`]), signal);
    },
    async provideRegistryImage(request, onLine, signal) {
      const asked = call('POST', ROUTES.registryImage, ['registry-image'], request);
      return readRegistryImage(await send(options, asked, signal), onLine);
    },
  };
}

/** Makes clients of a worker's sidecars and store that share their connections. */
export function createClientFactory(
  sign: Signer['sign'],
  { certificate }: Pick<Authority, 'certificate'>,
): (endpoint: Omit<ClientOptions, 'sign' | 'agent' | 'authority'>) => BaggageclaimClient {
  const direct = createAgent();
  const agents = new WeakMap<Connect, Agent>();
  const agentOf = (connect?: Connect) => {
    if (!connect) return direct;
    const agent = agents.get(connect) ?? createAgent(true, connect);
    agents.set(connect, agent);
    return agent;
  };
  return (endpoint) => createClient({ ...endpoint, sign, agent: agentOf(endpoint.connect), authority: certificate });
}

async function fileOrNothing(options: HttpClientOptions, asked: Call, file: AskedFile, signal: AbortSignal) {
  return ifThere(send(options, asked, signal).then((answer) => readFileAnswer(answer, file)));
}

async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BaggageclaimError && error.code === 'not-found') return undefined;
    throw error;
  }
}

function toWeb(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer) as ReadableStream<Uint8Array>;
}
