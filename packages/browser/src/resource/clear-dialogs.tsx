import { usePolled } from '../api/polled.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { removedText } from '../parts/removed-text.ts';
import type { PipelineRef } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { othersSharing } from './sharing.ts';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

interface ClearProps {
  readonly of: PipelineRef;
  readonly name: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Forgets what a resource has fetched, so that the next get fetches it again. */
export function ClearCacheDialog({ of: { team, pipeline, vars }, name, onDone, onClose }: ClearProps) {
  const { client } = useSession();
  const call = { at: { team, pipeline, resource: name }, query: vars };
  return (
    <ConfirmDialog
      title={`Clear the cache of ${name}`}
      verb="Clear the cache"
      onClose={onClose}
      onConfirm={async () => {
        const { caches_removed: count } = await client.delete(`DELETE ${PIPELINE}/resources/:resource/cache`, call);
        onDone();
        return removedText(count, 'cached version');
      }}
    >
      <p>The next build that gets a version fetches it again.</p>
    </ConfirmDialog>
  );
}

interface ClearVersionsProps extends ClearProps {
  readonly kind: 'resource' | 'type';
}

/** Forgets the versions of a resource or a resource type, and of all that share them. */
export function ClearVersionsDialog({ of: { team, pipeline, vars }, name, kind, onDone, onClose }: ClearVersionsProps) {
  const { client } = useSession();
  const call = { at: { team, pipeline, resource: name, type: name }, query: vars };
  const part = kind === 'resource' ? 'resources/:resource' : 'resource-types/:type';
  const polled = usePolled(`shared ${JSON.stringify(call)}`, (signal) =>
    client.get(`GET ${PIPELINE}/${part}/shared`, call, signal),
  );
  const { value, error } = polled.loaded.value;
  const others = value ? othersSharing(value, { kind, team, pipeline, name }) : [];
  return (
    <ConfirmDialog
      title={`Clear the versions of ${name}`}
      verb="Clear the versions"
      reason={value ? undefined : (error?.message ?? 'Loading ...')}
      onClose={onClose}
      onConfirm={async () => {
        const { versions_removed: count } = await client.delete(`DELETE ${PIPELINE}/${part}/versions`, call);
        onDone();
        return removedText(count, 'version');
      }}
    >
      <p>
        All its versions are forgotten, with which of them are disabled. The next check finds those that still exist.
      </p>
      {error && <p class="step-error">{error.message}</p>}
      {others.length > 0 && (
        <>
          <p>These have the same versions, and lose them, too:</p>
          <ul>
            {others.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}
