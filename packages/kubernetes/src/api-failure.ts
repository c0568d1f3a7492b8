import { KubernetesError, type KubernetesErrorCode } from './kubernetes-error.ts';
import type { StatusBody } from './wire.ts';

/** What an error about a cluster has to name, so that its reader knows where to look. */
export interface ApiPlace {
  readonly worker: string;
  readonly namespace: string;
  /** The API server's address. */
  readonly server: string;
  /** Where address and credentials are from: a context of a file, or the pod's service account. */
  readonly origin: string;
}

/** Words for an answer that refuses. `what` is what was tried: `create the pod x`. */
export function refusal(
  place: ApiPlace,
  what: string,
  httpStatus: number,
  status: StatusBody | undefined,
): KubernetesError {
  const said = status?.message ?? `HTTP status ${httpStatus}`;
  const { code, advice } = judge(place, httpStatus, status);
  return new KubernetesError(code, `worker ${place.worker} could not ${what}: ${said}${advice ? `. ${advice}` : ''}`);
}

interface Judgement {
  readonly code: KubernetesErrorCode;
  readonly advice?: string;
}

function judge(place: ApiPlace, httpStatus: number, status: StatusBody | undefined): Judgement {
  const { namespace, origin } = place;
  const said = status?.message ?? '';
  switch (httpStatus) {
    case 401:
      return {
        code: 'unauthorized',
        advice: `The API server does not accept the credentials in ${origin}: they have expired or are of another cluster. Make new ones`,
      };
    case 403:
      if (said.includes('exceeded quota')) {
        return {
          code: 'quota',
          advice: `The namespace ${namespace} has used up its quota: wait for other steps to end, or raise its ResourceQuota`,
        };
      }
      if (status?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating')) {
        return { code: 'namespace-gone', advice: namespaceAdvice(namespace) };
      }
      if (said.includes('violates PodSecurity')) {
        return {
          code: 'rejected',
          advice: `Label the namespace ${namespace} with a Pod Security level that admits the step, or change the target's template`,
        };
      }
      return {
        code: 'forbidden',
        advice: `Bind the Role seaplane-target (deploy/kubernetes/target-role.yaml) to the account of ${origin} in the namespace ${namespace}`,
      };
    case 404:
      if (status?.details?.kind === 'namespaces') {
        return { code: 'namespace-gone', advice: namespaceAdvice(namespace) };
      }
      return { code: 'not-found' };
    case 409:
      return { code: 'conflict' };
    case 410:
      return { code: 'expired' };
    default:
      return httpStatus === 429 || httpStatus >= 500 ? { code: 'server' } : { code: 'rejected' };
  }
}

function namespaceAdvice(namespace: string): string {
  return `Make the namespace ${namespace} and bind the Role seaplane-target in it, or give the target another one`;
}

const CERTIFICATE_CODES = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Words for an API server that could not be asked at all. */
export function noAnswer(place: ApiPlace, what: string, cause: unknown): KubernetesError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const start = `worker ${place.worker} could not ${what}: the API server at ${place.server}`;
  if (CERTIFICATE_CODES.has(code)) {
    return new KubernetesError(
      'untrusted',
      `${start} shows a certificate that ${place.origin} does not vouch for (${message}). Is it the right cluster? If so, put its present CA there`,
      { cause },
    );
  }
  return new KubernetesError(
    'unreachable',
    `${start} does not answer (${message || code}). Is the cluster up, is its address in ${place.origin} right, and can web reach it?`,
    { cause },
  );
}
