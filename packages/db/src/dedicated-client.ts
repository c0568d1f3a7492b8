import pg from 'pg';

/** A connection of its own to where the pool connects, for what must outlive a transaction: LISTEN and session locks. */
export async function connectDedicated(pool: pg.Pool, onEnd: () => void): Promise<pg.Client> {
  const client = new pg.Client(pool.options);
  client.on('error', () => {}); // `end` follows
  client.once('end', onEnd);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.off('end', onEnd);
    await client.end().catch(() => {});
    throw error;
  }
}

/**
 * Asks for a sign of life, so that a connection whose other end has silently gone is noticed. Ends the connection if there
 * is none in time.
 */
export async function probe(client: pg.Client, timeoutMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  const alive = await Promise.race([
    client.query('SELECT').then(
      () => true,
      () => false,
    ),
    late.then(() => false),
  ]);
  clearTimeout(timer);
  if (!alive) destroy(client);
}

/** Ends a connection without a word to the server, which may not be there to hear it. */
export function destroy(client: pg.Client): void {
  client.connection.stream.destroy();
}
