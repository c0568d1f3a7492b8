import type { IdentityAlgorithm } from './identity.ts';
import { makeIdentityKey } from './make-identity-key.ts';

// Ctrl-C in a terminal reaches this program, too. Web decides whether the key is still wanted.
process.on('SIGINT', () => {});

/** Makes a key and prints it: `identity-key-program.ts ALGORITHM [RSA_BITS]`. */
const [algorithm, rsaBits] = process.argv.slice(2);
const key = await makeIdentityKey(algorithm as IdentityAlgorithm, rsaBits === undefined ? undefined : Number(rsaBits));
process.stdout.write(JSON.stringify(key));
