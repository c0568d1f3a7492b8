import { readFile } from 'node:fs/promises';
import type { Credentials, Mirror, RegistrySettings } from '@seaplane/oci';
import { ConfigReader, count, HostError, listOf, mapOf, text } from '@seaplane/orchestrator';

/** How the worker pulls images of registries. */
export interface Registries {
  /** Asked first for images of Docker Hub. */
  readonly mirrors?: readonly Mirror[];
  /** A file of PEM certificates that count beside the usual ones. */
  readonly certificates?: string;
  /** Registries whose certificate is not looked at, and which may speak plain HTTP. */
  readonly insecure?: readonly string[];
  /** By the name of the registry, as it is in an image's. */
  readonly credentials?: Readonly<Record<string, Credentials>>;
  /** How long a layer stays that no sandbox asks for. */
  readonly keptDays?: number;
}

/** Reads the field `registries` of a worker's entry. */
export function parseRegistries(where: string, value: unknown): Registries {
  const reader = new ConfigReader(where, value);
  const registries = {
    mirrors: reader.optional('mirrors', listOf(parseMirror)),
    certificates: reader.optional('certificates', text),
    insecure: reader.optional('insecure', listOf(text)),
    credentials: reader.optional('credentials', mapOf(parseCredentials)),
    keptDays: reader.optional('keptDays', count),
  };
  reader.end();
  return Object.fromEntries(Object.entries(registries).filter(([, field]) => field !== undefined));
}

/** The settings of a pull from a registry. The certificates are read each time, because they are renewed. */
export async function settingsFor(registries: Registries, registry: string): Promise<RegistrySettings> {
  const { mirrors, certificates, insecure = [], credentials = {} } = registries;
  const known = Object.hasOwn(credentials, registry) ? credentials[registry] : undefined;
  return {
    ...(mirrors ? { mirrors } : {}),
    ...(certificates ? { ca: [await readCertificates(certificates)] } : {}),
    ...(insecure.includes(registry) ? { insecure: true } : {}),
    ...(known ? { credentials: known } : {}),
  };
}

async function readCertificates(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: Error) => {
    throw new HostError('bad-config', `the certificates of registries can't be read: ${cause.message}`, { cause });
  });
}

function parseMirror(where: string, value: unknown): Mirror {
  if (typeof value === 'string') return { host: text(where, value) };
  const reader = new ConfigReader(where, value);
  const host = reader.required('host', text);
  const username = reader.optional('username', text);
  const mirror =
    username === undefined
      ? { host }
      : { host, credentials: { username, password: reader.required('password', text) } };
  reader.end();
  return mirror;
}

function parseCredentials(where: string, value: unknown): Credentials {
  const reader = new ConfigReader(where, value);
  const credentials = { username: reader.required('username', text), password: reader.required('password', text) };
  reader.end();
  return credentials;
}
