import { connect } from 'node:net';
import type { WebSocket } from 'ws';

const [DATA, ERROR] = [0, 1];
const PORT = Buffer.from([0x6b, 0x1e]);

/** Does what a kubelet does with a port-forward: carries it to a port, here one of this machine. */
export function forwardTo(address: string): (socket: WebSocket) => void {
  const [host = '', port] = address.split(':');
  return (socket) => {
    const message = (channel: number, bytes: Uint8Array) => socket.send(Buffer.concat([Buffer.from([channel]), bytes]));
    message(DATA, PORT);
    message(ERROR, PORT);
    const connection = connect(Number(port), host);
    connection.on('data', (bytes) => message(DATA, bytes));
    connection.on('error', ({ message: words }) => message(ERROR, Buffer.from(words)));
    connection.on('close', () => socket.close());
    socket.on('message', (data: Buffer) => connection.write(data.subarray(1)));
    socket.on('close', () => connection.destroy());
  };
}
