import { expect, test } from 'vitest';
import { noAnswer } from './api-failure.ts';

const place = { worker: 'prod', namespace: 'ci', server: 'https://10.0.0.1:6443', origin: 'the context x of /k' };

test.each(['SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED'])(
  '[KUBE-CFG4] a certificate that the kubeconfig does not trust: %s',
  (code) => {
    const error = noAnswer(place, 'list pods', Object.assign(new Error('self-signed certificate'), { code }));
    expect(error.code).toBe('untrusted');
    expect(error.message).toBe(
      'worker prod could not list pods: the API server at https://10.0.0.1:6443 shows a certificate that the context x of /k does not trust (self-signed certificate). Is it the right cluster? If so, put its present CA there',
    );
  },
);
