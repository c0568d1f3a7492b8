import { setTimeout as sleep } from 'node:timers/promises';
import { type FragileComponent, killComponent, startComponent } from '@seaplane/dev-cluster';
import type { Fault } from './fault.ts';

function componentKilled(name: FragileComponent, causes: readonly RegExp[] = []): Fault {
  return {
    kind: `${name}-killed`,
    causes,
    async inject({ index, binaries, away }, { lengthMs }) {
      if (away.has(name)) return undefined;
      away.add(name);
      await killComponent(index, name);
      const healed = sleep(lengthMs)
        .then(() => startComponent(index, name, binaries))
        .finally(() => away.delete(name));
      return { what: `for ${lengthMs} ms`, builds: causes.length > 0 ? 'all' : 'none', healed };
    },
  };
}

export const apiServerKilled = componentKilled('apiserver');

/**
 * Pods go on without their kubelet; new ones wait for it. If it dies while it has a container started, the runtime takes that
 * back, and Kubernetes never starts the container again.
 */
export const kubeletKilled = componentKilled('kubelet', [/the container could not be started: .*: context canceled$/]);
