import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { hearSocketErrors } from '@seaplane/oci';
import { HostError } from '@seaplane/orchestrator';
import type { ControlWay } from './agent-access.ts';
import type { ControlError } from './protocol.ts';

export interface AgentCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** Sends a request to the agent. Throws `unreachable` if nobody answers, and the error of the answer. */
export async function callAgent(way: ControlWay, call: AgentCall, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const body = call.body && JSON.stringify(call.body);
  const { where, ...how } = way;
  const outgoing = request({
    ...how,
    method: call.method,
    path: call.path,
    signal,
    headers: body ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } : {},
  });
  hearSocketErrors(outgoing);
  outgoing.on('response', resolve);
  outgoing.on('error', (cause) => reject(signal.aborted ? signal.reason : unreachable(where, cause)));
  outgoing.end(body);
  const answer = await promise;
  if ((answer.statusCode ?? 500) < 400) return answer;
  throw await errorOf(answer, where);
}

export async function callForJson<T>(way: ControlWay, call: AgentCall, signal: AbortSignal): Promise<T> {
  const body = await text(await callAgent(way, call, signal)).catch((cause: Error) => {
    throw unreachable(way.where, cause);
  });
  return (body === '' ? undefined : JSON.parse(body)) as T;
}

/** The lines of an answer that does not end by itself. Empty lines are left out. */
export async function* linesOf(answer: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

function unreachable(where: string, cause: Error): HostError {
  return new HostError('unreachable', `the agent of the worker does not answer at ${where}: ${cause.message}`, {
    cause,
  });
}

async function errorOf(answer: IncomingMessage, where: string): Promise<HostError> {
  const body = await text(answer).catch(() => '');
  try {
    const { code, message } = JSON.parse(body) as ControlError;
    return new HostError(code, message);
  } catch {
    return new HostError('overloaded', `the agent at ${where} answered with HTTP status ${answer.statusCode}`);
  }
}
