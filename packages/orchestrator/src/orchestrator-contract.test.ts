import { orchestratorContract } from '@seaplane/engine/testing';
import { InMemoryHost } from './testing/in-memory-host.ts';
import { InMemoryRecords } from './testing/in-memory-records.ts';
import type { Program } from './testing/index.ts';
import { MOCK, SCRIPTS } from './testing/mock-type.ts';
import { type TestBed, testBed } from './testing/test-bed.ts';

orchestratorContract('the orchestrator', async () => {
  const starts = new Map<string, number>();
  const counted = (program: Program): Program => {
    return (context) => {
      const { path } = context.request;
      starts.set(path, (starts.get(path) ?? 0) + 1);
      return program(context);
    };
  };
  const build = counted(async ({ request, files, stdout }) => {
    files.write(`${request.dir}/out/file`, 'ok');
    stdout('building\n');
    return 3;
  });
  const serve = counted(async ({ stopped, stdout }) => {
    stdout('serving\n');
    await new Promise((resolve) => stopped.addEventListener('abort', resolve));
    stdout('stopped\n');
    return 0;
  });
  const hosts = [new InMemoryHost('worker-1', { ...SCRIPTS, build, serve })];
  const records = new InMemoryRecords();
  const webs: TestBed[] = [];
  return {
    open: () => {
      const web = testBed({}, { hosts, records });
      webs.push(web);
      return web.orchestrator();
    },
    image: MOCK,
    starts: (stepName) => starts.get(stepName) ?? 0,
    async [Symbol.asyncDispose]() {
      for (const web of webs) await web[Symbol.asyncDispose]();
    },
  };
});
