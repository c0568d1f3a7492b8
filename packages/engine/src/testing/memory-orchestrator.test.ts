import { memoryOrchestrator } from './memory-orchestrator.ts';
import { newWorld } from './memory-world.ts';
import { orchestratorContract } from './orchestrator-contract.ts';

orchestratorContract('the double in memory', async () => {
  const world = newWorld({
    build: { stdout: 'building\n', exit: 3, files: { file: 'ok' } },
    serve: { stdout: 'serving\n', untilInterrupted: 'stopped\n' },
    absent: { error: 'no such executable' },
    fetch: { files: { ref: 'abc' } },
  });
  return {
    open: () => memoryOrchestrator(world),
    image: { kind: 'base-type', type: 'mock', privileged: false },
    starts: (stepName) => world.started.filter((planId) => planId === stepName).length,
    [Symbol.asyncDispose]: async () => {},
  };
});
