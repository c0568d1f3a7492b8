import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import type { Layout } from '../layout.ts';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '3650'];

/** Group (O) and name (CN) in each certificate: the API server takes its bearer for this user, whom RBAC knows. */
const CLIENTS = {
  admin: '/O=system:masters/CN=admin',
  controllers: '/CN=system:kube-controller-manager',
  scheduler: '/CN=system:kube-scheduler',
  proxy: '/CN=system:kube-proxy',
} as const;

export function pkiFile(layout: Layout, name: string): string {
  return join(layout.state, 'pki', name);
}

export function kubeconfigFile(layout: Layout, client: string): string {
  return join(layout.state, `${client}.kubeconfig`);
}

/** One certificate authority, a certificate for each component, and a kubeconfig for each client. */
export async function makePki(layout: Layout): Promise<void> {
  await mkdir(join(layout.state, 'pki'), { recursive: true });
  if (existsSync(layout.kubeconfig)) return;
  const file = (name: string) => pkiFile(layout, name);
  const authority = [
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  ];
  const request = ['req', '-x509', ...KEY];
  await run('openssl', [
    ...request,
    '-subj',
    `/CN=seaplane-dev-${layout.index}`,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.crt'),
    ...authority,
  ]);

  const certificate = async (name: string, subject: string, alternativeNames?: string) => {
    const usage = [
      '-addext',
      'basicConstraints=critical,CA:FALSE',
      '-addext',
      'extendedKeyUsage=serverAuth,clientAuth',
    ];
    const names = alternativeNames ? ['-addext', `subjectAltName=${alternativeNames}`] : [];
    const signer = ['-CA', file('ca.crt'), '-CAkey', file('ca.key')];
    const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)];
    await run('openssl', [...request, ...signer, '-subj', subject, ...out, ...usage, ...names]);
  };
  const services = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const apiNames = [
    ...services.map((name) => `DNS:${name}`),
    ...['127.0.0.1', layout.nodeIp, layout.apiServiceIp].map((ip) => `IP:${ip}`),
  ];
  await Promise.all([
    serviceAccountKey(layout),
    certificate('apiserver', '/CN=kube-apiserver', apiNames.join()),
    certificate('apiserver-to-kubelet', '/O=system:masters/CN=kube-apiserver-kubelet-client'),
    certificate('kubelet-server', `/CN=${layout.nodeName}`, `DNS:${layout.nodeName},IP:${layout.nodeIp},IP:127.0.0.1`),
    certificate('kubelet', `/O=system:nodes/CN=system:node:${layout.nodeName}`),
    ...Object.entries(CLIENTS).map(([name, subject]) => certificate(name, subject)),
  ]);
  // The admin's comes last: its presence says that all of this is complete.
  for (const client of ['kubelet', 'controllers', 'scheduler', 'proxy', 'admin'])
    await writeClientKubeconfig(layout, client);
}

async function serviceAccountKey(layout: Layout): Promise<void> {
  const key = pkiFile(layout, 'service-accounts.key');
  await run('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', key]);
  await run('openssl', ['ec', '-in', key, '-pubout', '-out', pkiFile(layout, 'service-accounts.pub')]);
}

async function writeClientKubeconfig(layout: Layout, client: string): Promise<void> {
  const base64 = async (name: string) => (await readFile(pkiFile(layout, name))).toString('base64');
  const user = {
    'client-certificate-data': await base64(`${client}.crt`),
    'client-key-data': await base64(`${client}.key`),
  };
  await writeKubeconfig(layout, kubeconfigFile(layout, client), user);
}

/** Writes a kubeconfig for this cluster, readable by its owner alone. JSON is YAML. */
export async function writeKubeconfig(layout: Layout, path: string, user: object, namespace?: string): Promise<void> {
  const name = `seaplane-dev-${layout.index}`;
  const ca = (await readFile(pkiFile(layout, 'ca.crt'))).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: layout.apiUrl, 'certificate-authority-data': ca } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace ? { namespace } : {}) } }],
  };
  await writeFile(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}
