import { useState } from 'preact/hooks';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import { useModal } from '../parts/use-modal.ts';
import { useSession } from '../session/session.ts';

const NS_PER_HOUR = 3_600_000_000_000;
const LENGTHS = [
  [0, 'until somebody clears it'],
  [1, 'for an hour'],
  [24, 'for a day'],
  [168, 'for a week'],
] as const;

interface WallDialogProps {
  readonly message: string;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/** Writes the message that stands over every page, or clears it. */
export function WallDialog({ message, onChange, onClose }: WallDialogProps) {
  const { client } = useSession();
  const dialog = useModal();
  const [text, setText] = useState(message);
  const [hours, setHours] = useState(0);
  const action = useAction(onChange);
  const change = (send: () => Promise<void>) =>
    action.run(async () => {
      await send();
      dialog.current?.close();
    });
  return (
    <dialog ref={dialog} class="help" onClose={onClose} aria-label="Message to all users">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change(() => client.put('PUT /api/v1/wall', { at: {}, body: { message: text, TTL: hours * NS_PER_HOUR } }));
        }}
      >
        <h2>Message to all users</h2>
        <p class="soft">It stands over every page. Addresses of the web become links.</p>
        <Problem of={action} />
        <textarea
          class="field"
          aria-label="Message"
          rows={4}
          required={true}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p class="dialog-line">
          <label>
            It stands{' '}
            <select value={String(hours)} onChange={(event) => setHours(Number(event.currentTarget.value))}>
              {LENGTHS.map(([length, words]) => (
                <option key={length} value={String(length)}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        </p>
        <p class="dialog-line">
          <button type="submit" class="primary">
            Show it
          </button>
          {message !== '' && (
            <button type="button" onClick={() => change(() => client.delete('DELETE /api/v1/wall', { at: {} }))}>
              Clear it
            </button>
          )}
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
}
