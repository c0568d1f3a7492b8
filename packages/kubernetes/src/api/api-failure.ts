import { HostError, type HostErrorCode } from '@seaplane/orchestrator';
import { parseQuantity } from '../pod/quantity.ts';
import { type ApiAnswer, ApiError } from './api-error.ts';
import type { StatusBody } from './wire.ts';

/** Where an error comes from, for its message. */
export interface ApiOrigin {
  readonly worker: string;
  readonly namespace: string;
  /** The API server's address. */
  readonly server: string;
  /** Where address and credentials are from: a context of a file, or the pod's service account. */
  readonly origin: string;
}

/** The error for an answer that refuses. `what` is the attempted action: `create the pod x`. */
export function refusal(place: ApiOrigin, what: string, httpStatus: number, status: StatusBody | undefined): HostError {
  const start = `worker ${place.worker} could not ${what}: ${status?.message ?? `HTTP status ${httpStatus}`}`;
  const answer = answerOf(httpStatus, status);
  if (answer) return new ApiError(answer, start);
  const { code, advice } = judge(place, httpStatus, status);
  return new HostError(code, `${start}${advice ? `. ${advice}` : ''}`);
}

function answerOf(httpStatus: number, status: StatusBody | undefined): ApiAnswer | undefined {
  if (httpStatus === 404 && status?.details?.kind !== 'namespaces') return 'not-found';
  if (httpStatus === 409) return 'conflict';
  if (httpStatus === 410) return 'expired';
  return undefined;
}

interface Judgement {
  readonly code: HostErrorCode;
  readonly advice?: string;
}

function judge(place: ApiOrigin, httpStatus: number, status: StatusBody | undefined): Judgement {
  const { namespace, origin } = place;
  const said = status?.message ?? '';
  switch (httpStatus) {
    case 401:
      return {
        code: 'unauthorized',
        advice: `The API server does not accept the credentials in ${origin}: they have expired or belong to another cluster. Make new ones`,
      };
    case 403:
      return judgeForbidden(place, said, status);
    case 404:
      return { code: 'location-gone', advice: namespaceAdvice(namespace) };
    default:
      return httpStatus === 429 || httpStatus >= 500 ? { code: 'overloaded' } : { code: 'refused' };
  }
}

/** The API server answers 403 both if a right is missing and if an object breaks a rule of the namespace. */
function judgeForbidden({ namespace, origin }: ApiOrigin, said: string, status: StatusBody | undefined): Judgement {
  if (status?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating')) {
    return { code: 'location-gone', advice: namespaceAdvice(namespace) };
  }
  if (canNeverFit(said)) {
    return {
      code: 'refused',
      advice: `It asks for more than the ResourceQuota of the namespace ${namespace} ever allows: change the step's container_limits, or raise the quota`,
    };
  }
  const rule = RULES.find(({ said: pattern }) => pattern.test(said));
  if (rule) return { code: rule.code, advice: rule.advice(namespace) };
  if (said.includes(' is forbidden: ') && !/\bUser "[^"]*" cannot /.test(said)) return { code: 'refused' };
  return {
    code: 'forbidden',
    advice: `Does the namespace ${namespace} exist? If so, bind the Role seaplane-target (deploy/kubernetes/target-role.yaml) in it to the account of ${origin}`,
  };
}

interface Rule {
  readonly said: RegExp;
  readonly code: HostErrorCode;
  readonly advice: (namespace: string) => string;
}

/** Admission rules that operators set, by the API server's words when an object breaks one. */
const RULES: readonly Rule[] = [
  {
    said: /exceeded quota/,
    code: 'quota',
    advice: (namespace) =>
      `The namespace ${namespace} has used up its quota: wait for other steps to end, or raise its ResourceQuota`,
  },
  {
    said: /failed quota: .*must specify/,
    code: 'refused',
    advice: (namespace) =>
      `The ResourceQuota of the namespace ${namespace} wants limits on every container: give the namespace a LimitRange with defaults`,
  },
  {
    said: /(minimum|maximum) \S+ (usage per (Container|Pod)|limit to request ratio)/,
    code: 'refused',
    advice: (namespace) =>
      `The LimitRange of the namespace ${namespace} refuses it: change the step's container_limits, or requests and limits in the target's template`,
  },
  {
    said: /violates PodSecurity/,
    code: 'refused',
    advice: (namespace) =>
      `Label the namespace ${namespace} with a Pod Security level that admits the step, or change the target's template`,
  },
];

/**
 * Whether a quota would refuse the object also if nothing else were there. The API server's words are `exceeded quota: NAME,
 * requested: memory=8Gi, used: memory=1Gi, limited: memory=4Gi`.
 */
function canNeverFit(said: string): boolean {
  const [, requested, limited] = /exceeded quota: .*?requested: (.*?), used: .*?, limited: (.*)$/.exec(said) ?? [];
  const limits = amounts(limited);
  return Object.entries(amounts(requested)).some(
    ([name, amount]) => amount > (limits[name] ?? Number.POSITIVE_INFINITY),
  );
}

function amounts(list = ''): Record<string, number> {
  const pairs = list.split(',').map((pair) => pair.trim().split('='));
  return Object.fromEntries(pairs.map(([name = '', amount = '']) => [name, parseQuantity(amount) ?? Number.NaN]));
}

function namespaceAdvice(namespace: string): string {
  const commands = `kubectl create namespace ${namespace} && kubectl -n ${namespace} apply -f deploy/kubernetes/target-role.yaml`;
  return `Make the namespace ${namespace} and bind the Role seaplane-target in it (${commands}), or give the target another one`;
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

/** The error for an API server that does not answer. */
export function noAnswer(place: ApiOrigin, what: string, cause: unknown): HostError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const start = `worker ${place.worker} could not ${what}: the API server at ${place.server}`;
  if (CERTIFICATE_CODES.has(code)) {
    return new HostError(
      'untrusted',
      `${start} shows a certificate that ${place.origin} does not trust (${message}). Is it the right cluster? If so, put its present CA there`,
      { cause },
    );
  }
  return new HostError(
    'unreachable',
    `${start} does not answer (${message || code}). Is the cluster up, is its address in ${place.origin} right, and can web reach it?`,
    { cause },
  );
}
