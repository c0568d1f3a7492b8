import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { buildBrowser } from './build-browser.ts';

await buildBrowser(stderrProgress('browser'));
