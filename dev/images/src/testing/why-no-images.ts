import { whyNoCompiler, whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';

/** Why the images can't be built and run as tests do it; undefined when they can. */
export function whyNoImages(): string | undefined {
  return whyNoRoot() ?? whyNoCompiler();
}
