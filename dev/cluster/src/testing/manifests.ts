import { imageRef } from '@seaplane/dev-images';

export interface PodOptions {
  readonly image?: string;
  /** Runs what the image says instead of sleeping. */
  readonly ownEntrypoint?: boolean;
  /** Answers HTTP on 8080 with this line. */
  readonly serves?: string;
  readonly hostUsers?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

export function podManifest(name: string, options: PodOptions = {}): object {
  const { serves, hostUsers = true, labels = {}, image = imageRef('busybox') } = options;
  const serve = `mkdir /tmp/www && echo ${serves} >/tmp/www/index.html && echo serving ${serves} && exec httpd -f -p 8080 -h /tmp/www`;
  const command = serves ? ['sh', '-c', serve] : ['sleep', '3600'];
  const container = { name: 'main', image, imagePullPolicy: 'Never', ...(options.ownEntrypoint ? {} : { command }) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name, ...labels } },
    spec: {
      hostUsers,
      restartPolicy: 'Never',
      dnsPolicy: 'Default',
      terminationGracePeriodSeconds: 0,
      containers: [container],
    },
  };
}

export function serviceManifest(app: string): object {
  const spec = { type: 'NodePort', selector: { app }, ports: [{ port: 80, targetPort: 8080 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: app }, spec };
}
