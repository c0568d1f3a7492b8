import { withClient } from '@seaplane/db/testing';

type Connection = Parameters<typeof withClient>[0];

/** A task or a get with its output. */
export interface FilledStep {
  readonly name: string;
  readonly exitStatus: number;
  readonly lines: readonly string[];
  /** Makes it a get, with this version and metadata. */
  readonly got?: {
    readonly version: Readonly<Record<string, string>>;
    readonly metadata: readonly { readonly name: string; readonly value: string }[];
  };
}

/** So many lines come in one event, about as many as a program prints between two reads. */
const LINES_PER_EVENT = 50;
const TIME = 1_800_000_000;

/** Makes an ended build look as if it had run these tasks, one after another. The build fails with the last that does. */
export async function fillLog(connection: Connection, buildId: number, steps: readonly FilledStep[]): Promise<void> {
  const plans = steps.map(({ name, got }, i) => ({ id: `p${i}`, [got ? 'get' : 'task']: { name } }));
  const status = steps.some(({ exitStatus }) => exitStatus !== 0) ? 'failed' : 'succeeded';
  const events: (readonly [type: string, data: unknown])[] = [['status', { status: 'started', time: TIME }]];
  for (const [i, { exitStatus, lines, got }] of steps.entries()) {
    const type = got ? 'get' : 'task';
    const [origin, time] = [{ id: `p${i}` }, TIME + i * 10];
    events.push(
      [`initialize-${type}`, { origin, time, config: {} }],
      [`start-${type}`, { origin, time: time + 1, config: {} }],
    );
    for (let n = 0; n < lines.length; n += LINES_PER_EVENT) {
      const payload = lines.slice(n, n + LINES_PER_EVENT).map((line) => `${line}\r\n`);
      events.push(['log', { origin: { ...origin, source: 'stdout' }, time: time + 2, payload: payload.join('') }]);
    }
    events.push([`finish-${type}`, { origin, time: time + 9, exit_status: exitStatus, ...got }]);
  }
  events.push(['status', { status, time: TIME + steps.length * 10 }]);
  await withClient(connection, async (client) => {
    await client.query('UPDATE build SET status = $2, public_plan = $3 WHERE id = $1', [
      buildId,
      status,
      JSON.stringify({ id: 'all', do: plans }),
    ]);
    await client.query('DELETE FROM build_event WHERE build_id = $1', [buildId]);
    await client.query(
      `INSERT INTO build_event (build_id, event_id, type, version, data)
       SELECT $1, e.n - 1, e.type, '1.0', e.data::json
       FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS e (type, data, n)`,
      [buildId, events.map(([type]) => type), events.map(([, data]) => JSON.stringify(data))],
    );
    await client.query('UPDATE build_journal_head SET next_event_id = $2 WHERE build_id = $1', [
      buildId,
      events.length,
    ]);
  });
}
