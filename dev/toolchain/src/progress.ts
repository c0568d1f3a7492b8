/** Shows a waiting person what is being done: one line for each step, on stderr, so that stdout holds only results. */
export type Progress = (message: string) => void;

export function stderrProgress(label: string, now: () => number = () => performance.now()): Progress {
  const start = now();
  return (message) => {
    const seconds = ((now() - start) / 1000).toFixed(1).padStart(6);
    process.stderr.write(`${seconds}s ${label}: ${message}\n`);
  };
}

export const silent: Progress = () => {};
