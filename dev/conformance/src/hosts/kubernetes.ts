import type { Host, RunningHost } from './host.ts';
import { startOwnWeb } from './web.ts';

/**
 * Our own web with its steps on a cluster. This is the one place that decides which cluster that is: the one of a
 * KUBECONFIG that is set already. Web cannot use a cluster yet, so without one it starts without; when it can, `up` of
 * @seaplane/dev-cluster is called here and the kubeconfig it returns is handed on.
 */
export const kubernetesHost: Host = {
  name: 'kubernetes',
  async start(progress) {
    const kubeconfig = process.env['KUBECONFIG'];
    const running = await startOwnWeb('kubernetes', kubeconfig ? { KUBECONFIG: kubeconfig } : {}, progress);
    return kubeconfig ? running : withReason(running, 'no cluster was started either, web cannot use one yet');
  },
};

function withReason(running: RunningHost, more: string): RunningHost {
  return running.cannotRun ? { ...running, cannotRun: `${running.cannotRun}; ${more}` } : running;
}
