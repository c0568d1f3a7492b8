import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Hears the errors of a request's connection, also where Node does not. Node stops to listen when an answer has been read to
 * its end, and the error of a request that was destroyed just before may come after that. It would end the process. Whoever
 * waits for the request or the answer hears of the error as before.
 */
export function hearSocketErrors(outgoing: ClientRequest): void {
  outgoing.on('socket', (socket: Socket) => {
    // A connection that is kept is the socket of many requests.
    if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
  });
}

function ignore(): void {}
