import type { ResourceAnswer } from '@seaplane/api/answers';

/**
 * The address of the icon that a resource names in its configuration: `NAME` of Material Design Icons, `si/NAME` of Simple
 * Icons. Undefined if it names none, or if no icon can have this name.
 */
export function iconPath(icon: ResourceAnswer['icon']): string | undefined {
  const [, brand, name] = /^(si\/)?([a-z0-9_-]+)$/.exec(typeof icon === 'string' ? icon : '') ?? [];
  // A few of Simple Icons are written with `_`, which web does not have in names.
  return name && `/icons/${brand ? 'si' : 'mdi'}/${name.replaceAll('_', '-')}.svg`;
}
