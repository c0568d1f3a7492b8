import { useState } from 'preact/hooks';

export interface Action {
  /** Why the last one was refused. */
  readonly problem: string | undefined;
  readonly isBusy: boolean;
  /** Does one thing at a time, then calls `after`. A refusal becomes the problem. */
  readonly run: (change: () => Promise<unknown>) => void;
  readonly forget: () => void;
}

/** A change that the user asks for, and what came of it. */
export function useAction(after: () => void): Action {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  async function run(change: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await change();
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
    after();
  }
  return {
    problem,
    isBusy,
    run: (change) => void (isBusy || run(change)),
    forget: () => setProblem(undefined),
  };
}
