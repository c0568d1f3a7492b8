import { type Http2Session, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { SESSION_MEMORY, STREAM_WINDOW } from '@seaplane/baggageclaim';
import { carry } from '@seaplane/baggageclaim/server';
import { HostError } from '@seaplane/orchestrator';
import type { AgentAccess } from '../agent-access.ts';
import type { AgentInfo, ControlError } from '../protocol.ts';
import { AGENT_PATH, type AgentSettings, type MachineKind, type RemoteAgentInfo, WAYS } from './protocol.ts';

/** The agent of this machine, for a web's settings. */
export type AgentFor = (settings: AgentSettings) => Pick<AgentAccess, 'info'>;

/** Serves web over a connection on which web has proven who it is: starts the agent, and connects to it. */
export function serveWeb(connection: Duplex, socket: string, machine: MachineKind, agentFor: AgentFor): Http2Session {
  const settings = { initialWindowSize: STREAM_WINDOW };
  const session = performServerHandshake(connection, { settings, maxSessionMemory: SESSION_MEMORY });
  session.on('error', () => {}); // `close` follows
  let info: AgentInfo | undefined;
  session.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {}); // web has left
    const [method, way, path] = [headers[':method'], headers[':authority'], headers[':path']];
    if (method === 'CONNECT' && way === WAYS.control) return carry(stream, { path: socket });
    if (method === 'CONNECT' && way === WAYS.agent && info)
      return carry(stream, { host: '127.0.0.1', port: info.port });
    if (method !== 'POST' || path !== AGENT_PATH) return void stream.respond({ ':status': 404 }, { endStream: true });
    text(stream)
      .then(async (body) => {
        info = await agentFor(JSON.parse(body) as AgentSettings).info();
        answer(stream, 200, { ...info, machine } satisfies RemoteAgentInfo);
      })
      .catch((error: Error) => {
        const code = error instanceof HostError ? error.code : 'cannot-start';
        answer(stream, 500, { code, message: error.message } satisfies ControlError);
      });
  });
  return session;
}

function answer(stream: ServerHttp2Stream, status: number, body: object): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status });
  stream.end(JSON.stringify(body));
}
