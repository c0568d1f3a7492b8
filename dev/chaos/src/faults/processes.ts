import { findProcess, processesOfPod } from '../place/processes.ts';
import type { Fault } from './fault.ts';
import { aimAtPod, hitOn, LOST } from './pods.ts';

function processKilled(which: 'sidecar' | 'supervisor' | 'shim', causes: readonly RegExp[]): Fault {
  return {
    kind: `${which}-killed`,
    causes,
    async inject(place, { aim }) {
      const pod = await aimAtPod(place, aim);
      const pid = pod && findProcess(await processesOfPod(pod.uid), which);
      if (!pod || !pid) return undefined;
      process.kill(pid, 'SIGKILL');
      return hitOn(pod);
    },
  };
}

/** The kubelet starts the sidecar again, and the step goes on. */
export const sidecarKilled = processKilled('sidecar', []);

/** The step's container ends with its first process. */
export const supervisorKilled = processKilled('supervisor', [/its first process, the supervisor, /, ...LOST]);

/** Every container of the pod ends with its shim, or is unknown from then on. */
export const shimKilled = processKilled('shim', [/its first process, the supervisor, /, /has ended/, ...LOST]);
