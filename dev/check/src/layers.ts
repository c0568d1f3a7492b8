/**
 * Which workspace package may import which others. Dependencies point one way: down this list. The pure ones know
 * nothing below them but each other; only web, the composition root, knows everything.
 */
export const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'packages/oci': [],
  'packages/baggageclaim': ['packages/oci'],
  'packages/db': [],
  'packages/web': ['packages/db'],
  'dev/toolchain': [],
  'dev/check': ['dev/toolchain'],
  'dev/images': ['dev/toolchain', 'packages/oci'],
  'dev/cluster': ['dev/toolchain', 'dev/images'],
  'dev/conformance': ['dev/toolchain', 'dev/images', 'dev/cluster'],
};
