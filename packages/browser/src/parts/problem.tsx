import type { Action } from './use-action.ts';

/** A change that was refused, in words. */
export function Problem({ of: { problem, forget } }: { of: Action }) {
  if (problem === undefined) return null;
  return (
    <p class="banner" role="alert">
      {problem}{' '}
      <button type="button" class="quiet" onClick={forget}>
        Close
      </button>
    </p>
  );
}
