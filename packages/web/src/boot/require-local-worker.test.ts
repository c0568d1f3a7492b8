import type { HostHealth } from '@seaplane/orchestrator';
import { expect, test } from 'vitest';
import type { OpenWorker } from './open-workers.ts';
import { requireLocalWorker } from './require-local-worker.ts';

/** Workers whose hosts note that they were closed. The first one is this machine. */
function workersWith(check: () => Promise<HostHealth>, closed: string[]): OpenWorker[] {
  return ['local', 'other'].map((name) => {
    const host = { name, check, [Symbol.dispose]: () => void closed.push(name) };
    return { config: { name }, host } as unknown as OpenWorker;
  });
}

const forever = new AbortController().signal;

test('[WEB21] a machine that cannot run steps ends web in words, and every host is closed', async () => {
  const closed: string[] = [];
  const unusable = async () => ({ usable: false, problems: ['there are no user namespaces'] });
  await expect(requireLocalWorker(workersWith(unusable, closed), forever)).rejects.toThrow(
    'Steps cannot run on this machine: there are no user namespaces.',
  );
  expect(closed).toEqual(['local', 'other']);
});

test('[WEB21] every host is closed, too, if the machine cannot be asked', async () => {
  const closed: string[] = [];
  const fails = () => Promise.reject(new Error('the agent did not start'));
  await expect(requireLocalWorker(workersWith(fails, closed), forever)).rejects.toThrow('the agent did not start');
  expect(closed).toEqual(['local', 'other']);
  await requireLocalWorker(
    workersWith(async () => ({ usable: true, problems: [] }), closed),
    forever,
  );
  expect(closed).toHaveLength(2);
});
