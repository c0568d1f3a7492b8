import type { Progress } from '@seaplane/dev-toolchain/progress.ts';

/** A place where the suite's pipelines run: a server and all that is behind it. */
export interface Host {
  readonly name: string;
  /** Why it cannot be started on this machine, asked before anything is built for it; undefined when it can. */
  whyNot?(): string | undefined;
  /**
   * Starts a server without state. If it rejects, everything it had started is gone again. With a version, our own web
   * answers as that version of Concourse, else as the version of the suite.
   */
  start(progress: Progress, version?: string): Promise<RunningHost>;
}

export interface RunningHost {
  /** Where the server answers. It must know itself by exactly this address. */
  readonly url: string;
  /** Variables that the suite needs besides ATC_URL: `RUNTIME` picks between expectations in two specs. */
  readonly env: Readonly<Record<string, string>>;
  /** Why no spec can pass, found out without running any; undefined when the suite can run. */
  readonly cannotRun?: string;
  /** Ends everything and leaves nothing. Harmless when called again. */
  stop(): Promise<void>;
}
