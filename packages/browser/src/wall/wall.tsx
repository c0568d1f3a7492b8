import { useState } from 'preact/hooks';
import { type Polled, usePolled } from '../api/polled.ts';
import { Icon } from '../parts/icons.tsx';
import { LinkedText } from '../parts/linked-text.tsx';
import { useSession } from '../session/session.ts';
import { WallDialog } from './wall-dialog.tsx';

type Message = { readonly message?: string; readonly TTL?: number };

/** The operator's message to all users. */
export function useWall(): Polled<Message> {
  const { client } = useSession();
  return usePolled<Message>('wall', (signal) => client.get('GET /api/v1/wall', { at: {} }, signal), {
    isAbout: ({ wall }) => wall === true,
    isMoving: ({ TTL }) => TTL !== undefined, // nobody announces its end
  });
}

export function WallBanner({ wall }: { wall: Polled<Message> }) {
  const { message } = wall.loaded.value.value ?? {};
  if (!message) return null;
  return (
    <p id="wall" class="wall" role="status">
      <LinkedText text={message} />
    </p>
  );
}

/** For administrators: writes or clears the message. */
export function WallButton({ wall }: { wall: Polled<Message> }) {
  const { user } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!user.value?.is_admin) return null;
  const { message = '' } = wall.loaded.value.value ?? {};
  return (
    <>
      <button
        type="button"
        class="quiet"
        onClick={() => setOpen(true)}
        title="Message to all users"
        aria-label="Message to all users"
      >
        <Icon name="horn" />
      </button>
      {isOpen && <WallDialog message={message} onChange={() => wall.refresh()} onClose={() => setOpen(false)} />}
    </>
  );
}
