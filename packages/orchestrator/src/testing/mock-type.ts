import type { StepImage } from '@seaplane/engine';
import { CONTRACT_PROGRAMS, type Program } from './in-memory-programs.ts';

/** The test bed's base type. */
export const MOCK: StepImage = { kind: 'base-type', type: 'mock', privileged: false };
/** A resource of the base type, as its scripts see it. */
export const resource = {
  type: 'mock',
  source: { uri: 'x' },
  config: 1,
  image: MOCK,
  tags: [],
  env: { BUILD_ID: '42' },
};
/** A resource whose check may keep files. */
export const repository = { ...resource, type: 'git', image: { ...MOCK, type: 'git' } };
/** A task that does nothing yet. */
export const task = {
  image: MOCK,
  platform: 'linux',
  tags: [],
  args: [],
  env: {},
  hermetic: false,
  inputs: [],
  outputs: [],
  caches: [],
};

/** Resource scripts as functions; `in` writes what a version names. */
export const SCRIPTS: Record<string, Program> = {
  ...CONTRACT_PROGRAMS,
  '/opt/resource/check': async ({ request, stdout, stderr }) => {
    stderr('checking\n');
    const { version } = JSON.parse(request.stdin) as { version?: object };
    stdout(JSON.stringify([version ?? { ref: 'first' }]));
    return 0;
  },
  '/opt/resource/in': async ({ request, files, stdout, stderr }) => {
    const { version } = JSON.parse(request.stdin) as { version: { ref: string } };
    stderr(`fetching ${version.ref}\n`);
    files.write(`${request.args[0]}/ref`, version.ref);
    files.write(`${request.args[0]}/metadata.json`, '{"env":["FROM_IMAGE=yes"],"user":"nobody"}');
    stdout(JSON.stringify({ version, metadata: [{ name: 'ref', value: version.ref }] }));
    return 0;
  },
  '/opt/resource/out': async ({ request, files, stdout }) => {
    const ref = files.read(`${request.args[0]}/built/ref`)?.toString() ?? 'nothing';
    stdout(JSON.stringify({ version: { ref } }));
    return 0;
  },
};
