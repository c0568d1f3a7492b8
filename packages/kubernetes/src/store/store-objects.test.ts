import { expect, test } from 'vitest';
import { parseTarget } from '../testing/parse-target.ts';
import { storePod } from './store-objects.ts';

const settings = { publicKey: 'PUBLIC', userNamespaces: true };
const entry = { name: 'prod', namespace: 'ci', images: { baggageclaim: 'sidecar:1' } };

test('[KUBE-HST21] the store has the certificates of the target, starts without them, and is another one if they are others', () => {
  const { metadata, spec } = storePod(parseTarget({ ...entry, certificates: 'company-ca' }), settings);
  expect(spec?.volumes).toContainEqual({ name: 'certificates', configMap: { name: 'company-ca', optional: true } });
  const mount = { name: 'certificates', mountPath: '/etc/ssl/certs', readOnly: true };
  expect(spec?.containers[0]?.volumeMounts).toContainEqual(mount);
  const plain = storePod(parseTarget(entry), settings);
  expect(plain.spec?.volumes).toHaveLength(1);
  expect(metadata?.annotations).not.toEqual(plain.metadata?.annotations);
});
