import { expect, test } from 'vitest';
import { dispatch } from './dispatch.ts';

const commands = [
  { name: 'run', summary: 'runs a job', run: async (args: readonly string[]) => args.length },
  { name: 'worker', summary: 'is a worker', run: async () => 7 },
];

async function call(...args: string[]) {
  const text = { out: '', err: '' };
  const status = await dispatch(commands, args, {
    out: (more) => {
      text.out += more;
    },
    err: (more) => {
      text.err += more;
    },
  });
  return { status, ...text };
}

test('[CLI1] the arguments after the name are the command’s own', async () => {
  expect(await call('run', '--help', 'x')).toEqual({ status: 2, out: '', err: '' });
  expect(await call('worker')).toMatchObject({ status: 7 });
});

test.each([['--help'], ['-h'], ['help']])('[CLI1] %s lists the commands', async (flag) => {
  const { status, out } = await call(flag);
  expect(status).toBe(0);
  expect(out).toContain('  run      runs a job\n  worker   is a worker\n');
});

test('[CLI1] no command, or an unknown one, is a mistake that names the known ones', async () => {
  expect(await call()).toMatchObject({ status: 2, out: '', err: expect.stringContaining('runs a job') });
  expect(await call('runn')).toMatchObject({
    status: 2,
    err: 'seaplane: unknown command "runn". The commands are: run, worker. Run seaplane --help.\n',
  });
});
