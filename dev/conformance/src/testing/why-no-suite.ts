import { isBuilt } from '@seaplane/dev-toolchain/build-once.ts';
import { whyNoGo } from '@seaplane/dev-toolchain/requirements.ts';
import { FLY_BUILD } from '../concourse/fly.ts';
import { SUITE_BUILD } from '../suite/build.ts';

/** Why the suite can't be built here; undefined when it can, or has been. */
export function whyNoSuite(): string | undefined {
  return isBuilt(FLY_BUILD) && isBuilt(SUITE_BUILD) ? undefined : whyNoGo();
}
