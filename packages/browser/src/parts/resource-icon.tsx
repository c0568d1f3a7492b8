import type { ResourceAnswer } from '@seaplane/api/answers';
import { iconPath } from './icon-path.ts';

/** The icon of a resource, in the colour of the text around it. Nothing if the resource has none. */
export function ResourceIcon({ icon }: { icon: ResourceAnswer['icon'] }) {
  const path = iconPath(icon);
  if (path === undefined) return null;
  // The drawing is a mask, so that an icon which is not there hides everything.
  return <span class="resource-icon" style={{ '--drawing': `url("${path}")` }} aria-hidden="true" />;
}
