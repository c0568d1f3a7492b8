import { execFile } from 'node:child_process';
import type { Mode } from './enter-command.ts';

/** The first id that systemd gives to no container, and as many as an image may use. */
const IDS = { base: 1_879_048_192, count: 65_536 };

export type Probed =
  | { readonly works: true; readonly mode: Mode }
  /** In words: what failed and, if it is known, the line to type. */
  | { readonly works: false; readonly why: string };

/** The line that the supervisor prints. */
interface ProbeLine {
  readonly works: boolean;
  readonly why?: string;
  readonly privileged?: boolean;
  readonly userxattr?: boolean;
  readonly oneId?: boolean;
}

/** Makes a sandbox below the directory once, and tells how sandboxes are made on this machine. */
export async function probe(supervisor: string, directory: string): Promise<Probed> {
  const { promise, resolve } = Promise.withResolvers<{ stdout: string; problem: string }>();
  const args = ['--probe', '--scratch', directory, '--ids', String(IDS.base), String(IDS.count)];
  execFile(supervisor, args, { env: {} }, (error, stdout, stderr) =>
    resolve({ stdout, problem: stderr.trim() || (error?.message ?? '') }),
  );
  const { stdout, problem } = await promise;
  return parseProbe(stdout, problem);
}

/** Reads the supervisor's line. Without one, `problem` is the reason. */
export function parseProbe(stdout: string, problem: string): Probed {
  let line: ProbeLine;
  try {
    line = JSON.parse(stdout) as ProbeLine;
  } catch {
    return { works: false, why: problem || 'the supervisor does not run on this machine' };
  }
  if (!line.works) return { works: false, why: line.why ?? problem };
  const { privileged = false, userxattr = false, oneId = false } = line;
  return { works: true, mode: { userxattr, oneId, ...(privileged ? { ids: IDS } : {}) } };
}
