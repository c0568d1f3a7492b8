import { whyNoGo } from '../requirements.ts';
import { whyNoCompiler, whyNoRoot } from './requirements.ts';

/** For vitest: says once, loudly, which tests are skipped because the machine lacks something. */
export default function setup(): void {
  for (const [what, why] of [
    ['root', whyNoRoot()],
    ['a C compiler', whyNoCompiler()],
    ['programs that Go has yet to build', whyNoGo()],
  ]) {
    if (why) console.warn(`\n*** SKIPPING every test that needs ${what}: ${why}\n`);
  }
}
