import { useRef, useState } from 'preact/hooks';

type Change = () => Promise<unknown>;

export interface Action {
  /** Why the last one was refused. */
  readonly problem: string | undefined;
  /** Does one thing after another; after each, calls `after`. A refusal becomes the problem. */
  readonly run: (change: Change) => void;
  /** The same for a change that two clicks must not do twice: ignored while another of them is under way. */
  readonly runOnce: (change: Change) => void;
  readonly forget: () => void;
}

/**
 * Changes that the user asks for, and what came of them. A change that is asked for while another is under way waits: the
 * page may show the result of the first, and the button for the next, before the server has answered. With `onProblem`,
 * somebody else shows the problem.
 */
export function useAction(after: () => void, onProblem?: (message: string) => void): Action {
  const [problem, setProblem] = useState<string>();
  const last = useRef<Promise<void>>(Promise.resolve());
  const isStarting = useRef(false);
  const current = useRef(after);
  current.current = after;
  async function perform(change: Change): Promise<void> {
    setProblem(undefined);
    try {
      await change();
    } catch (error) {
      (onProblem ?? setProblem)((error as Error).message);
    }
    current.current();
  }
  const run = (change: Change): Promise<void> => {
    last.current = last.current.then(() => perform(change));
    return last.current;
  };
  return {
    problem,
    run: (change) => void run(change),
    runOnce: (change) => {
      if (isStarting.current) return;
      isStarting.current = true;
      void run(change).then(() => {
        isStarting.current = false;
      });
    },
    forget: () => setProblem(undefined),
  };
}
