import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import { ROUTES } from '../../protocol/messages.ts';
import { type AppContext, bearer, errorAnswer, pathAfter } from '../http/app.ts';
import { requireScope } from '../http/grants.ts';
import type { SocketHandler } from '../runtime/runtime.ts';
import { HijackSession } from './hijack-session.ts';
import type { Sandbox } from './sandbox.ts';

/** Decides on a request for a WebSocket, which carries a process of a person. */
export async function openHijack(
  { verify, now }: AppContext,
  { link, network }: Pick<Sandbox, 'link' | 'network'>,
  request: Request,
  prefix = '',
): Promise<SocketHandler | Response> {
  try {
    if (pathAfter(prefix, request) !== ROUTES.hijack)
      throw new BaggageclaimError('not-found', 'there is no WebSocket here');
    const token = bearer(request.headers.get('Authorization') ?? undefined);
    requireScope(await verify(token, now()), 'hijack');
    await network.proven();
    return new HijackSession(link);
  } catch (error) {
    const { status, body } = errorAnswer(error as Error);
    return Response.json(body, { status });
  }
}
