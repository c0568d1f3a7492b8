import { text } from 'node:stream/consumers';
import { type ActionContext, parseRequest } from './request.ts';
import { TYPES } from './types.ts';

async function answer(context: ActionContext, [name = '', action, directory]: readonly string[]): Promise<unknown> {
  const type = TYPES[name];
  if (!type) throw new Error(`there is no built-in type ${JSON.stringify(name)}`);
  const request = parseRequest(await text(process.stdin));
  if (action === 'check') return type.check(context, request);
  if ((action !== 'in' && action !== 'out') || directory === undefined)
    throw new Error('usage: TYPE check|in|out [DIRECTORY]');
  return type[action](context, request, directory);
}

/**
 * `TYPE check|in|out [DIRECTORY]`: one action of a resource type, as the whole program. The request is on stdin, the answer
 * goes to stdout, everything for people to stderr.
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stopped.abort(new Error('interrupted')));
  }
  const context: ActionContext = {
    now: Date.now,
    env: process.env,
    log: (line) => process.stderr.write(`${line}\n`),
    signal: stopped.signal,
  };
  try {
    process.stdout.write(`${JSON.stringify(await answer(context, args))}\n`);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
