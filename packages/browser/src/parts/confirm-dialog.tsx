import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Problem } from './problem.tsx';
import { useAction } from './use-action.ts';
import { useModal } from './use-modal.ts';

interface ConfirmDialogProps {
  readonly title: string;
  /** The word on the button. */
  readonly verb: string;
  /** Why it cannot be done. */
  readonly reason?: string | undefined;
  /** Does it, and says what came of it. */
  readonly onConfirm: () => Promise<string>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks before something is lost, and then says what came of it. */
export function ConfirmDialog({ title, verb, reason, onConfirm, onClose, children }: ConfirmDialogProps) {
  const dialog = useModal();
  const [result, setResult] = useState<string>();
  const action = useAction(() => {});
  return (
    <dialog ref={dialog} class="help confirm" onClose={onClose} aria-label={title}>
      <h2>{title}</h2>
      <Problem of={action} />
      {result === undefined ? children : <p role="status">{result}</p>}
      <p class="dialog-line">
        {result === undefined && (
          <button
            type="button"
            class="danger"
            disabled={reason !== undefined}
            title={reason}
            onClick={() => action.runOnce(async () => setResult(await onConfirm()))}
          >
            {verb}
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {result === undefined ? 'Cancel' : 'Close'}
        </button>
      </p>
    </dialog>
  );
}
