import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';

/** A password to compare with a bcrypt hash. The thread answers each with a boolean, in order. */
export interface Comparison {
  readonly password: string;
  readonly hash: string;
}

parentPort?.on('message', ({ password, hash }: Comparison) => {
  parentPort?.postMessage(bcrypt.compareSync(password, hash));
});
