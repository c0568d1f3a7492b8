import { expect, test } from 'vitest';
import { InMemoryHost } from '../testing/in-memory-host.ts';
import { flag, text } from './config-reader.ts';
import { HostError } from './host-error.ts';
import { type HostKind, type HostServices, parseWorker } from './host-kind.ts';

class Host extends InMemoryHost {
  [Symbol.dispose](): void {}
}

const opened: unknown[] = [];

/** Its host's name shows what the host was opened from. */
function kind(name: string, platform: string, field: string): HostKind<{ readonly value: string }> {
  return {
    name,
    platform,
    parse: (entry) => ({ value: entry.required(field, text) }),
    open: (worker, config, services) => {
      opened.push(services);
      return new Host(`${name} ${worker.name} ${config.value}`);
    },
  };
}

const KINDS = [kind('boat', 'linux', 'harbour'), kind('plane', 'darwin', 'airport')] as const;
const parse = (value: unknown) => parseWorker(KINDS, 'worker', value);

test('[ORC-WRK1] an entry has a name, a team, tags and base types, and the fields of its kind', () => {
  const baseTypes = { git: 'git:1', image: { image: 'image:1', privileged: true } };
  const { config } = parse({ name: 'w', team: 'main', tags: ['gpu'], harbour: 'x', images: { baseTypes } });
  expect(config).toEqual({
    name: 'w',
    team: 'main',
    tags: ['gpu'],
    platform: 'linux',
    baseTypes: { git: { image: 'git:1', privileged: false }, image: { image: 'image:1', privileged: true } },
  });
});

test('[ORC-WRK4] an entry may name proxies and what is reached without them', () => {
  const proxy = { http: 'http://proxy:3128', except: ['localhost', '.example'] };
  const { config } = parse({ name: 'w', harbour: 'x', proxy });
  expect(config.proxyEnv).toEqual({ http_proxy: 'http://proxy:3128', no_proxy: 'localhost,.example' });
  expect(() => parse({ name: 'w', harbour: 'x', proxy: { https: 1 } })).toThrow('worker.proxy.https must be a text');
});

test('[ORC-WRK1] the entry names its kind; the first kind is the default', () => {
  expect(parse({ name: 'w', harbour: 'x' }).config).toEqual({ name: 'w', tags: [], platform: 'linux', baseTypes: {} });
  expect(parse({ kind: 'plane', name: 'w', airport: 'x' }).config.platform).toBe('darwin');
});

test('[ORC-WRK5] base types may be the published ones or the built-in ones, which a kind may have by default', () => {
  const typesOf = (value: object) => parse({ name: 'w', harbour: 'x', ...value }).config.baseTypes;
  const published = typesOf({ images: { baseTypes: 'published' } });
  expect(published).toMatchObject({
    git: { image: 'docker.io/concourse/git-resource', privileged: false },
    'docker-image': { image: 'docker.io/concourse/docker-image-resource', privileged: true },
  });
  expect(Object.keys(published)).toHaveLength(12);
  const builtIn = { git: { image: 'builtin:git' }, time: { image: 'builtin:time' } };
  expect(typesOf({ images: { baseTypes: 'built-in' } })).toMatchObject(builtIn);
  expect(typesOf({ images: { baseTypes: {} } })).toEqual({});
  const byDefault = [{ ...KINDS[0], baseTypes: 'built-in' }] as const;
  expect(parseWorker(byDefault, 'worker', { name: 'w', harbour: 'x' }).config.baseTypes).toMatchObject(builtIn);
  expect(() => typesOf({ images: { baseTypes: 'all' } })).toThrow('must be a map, published or built-in');
});

test('[ORC-WRK2] its host is opened by its kind, from both parts of the entry and the services', () => {
  const services = {} as HostServices;
  expect(parse({ name: 'w', harbour: 'x' }).openHost(services).name).toBe('boat w x');
  expect(parse({ kind: 'plane', name: 'v', airport: 'y' }).openHost(services).name).toBe('plane v y');
  expect(opened).toEqual([services, services]);
});

test.each([
  ['worker must be an object (it is a list)', []],
  ['worker.name is missing', { harbour: 'x' }],
  ['worker.kind must be boat or plane', { kind: 'train', name: 'w' }],
  ['worker.tags must be a list (it is string)', { name: 'w', harbour: 'x', tags: 'gpu' }],
  ['worker.tags[1] must be a text (it is number)', { name: 'w', harbour: 'x', tags: ['gpu', 1] }],
  ['worker.harbour is missing', { name: 'w' }],
  ['worker has no field airport; it has: ', { name: 'w', harbour: 'x', airport: 'y' }],
  ['worker.images has no field base; it has: baseTypes', { name: 'w', harbour: 'x', images: { base: {} } }],
  ['worker.images must be an object', { name: 'w', harbour: 'x', images: 'git' }],
  ['worker.images.baseTypes.git.image is missing', { name: 'w', harbour: 'x', images: { baseTypes: { git: {} } } }],
])('[ORC-WRK3] a mistake is named by its path, without the value: %s', (message, value) => {
  expect(() => parse(value)).toThrow(HostError);
  expect(() => parse(value)).toThrow(message);
  expect(() => flag('worker.allowed', 'hunter2')).toThrow(/^(?!.*hunter2)/);
});
