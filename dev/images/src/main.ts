import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { assertNever } from '@seaplane/config';
import { type Progress, stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { whyNoZig } from '@seaplane/dev-toolchain/zig.ts';
import { type Command, parseArguments, USAGE } from './arguments.ts';
import { type BuiltImage, buildImages } from './build-images.ts';
import { IMAGE_NAMES, imageRef } from './image-names.ts';
import { RECIPES } from './recipes/index.ts';
import { compileSupervisors, SUPERVISOR_BIN } from './supervisor-programs.ts';

async function main(command: Command): Promise<void> {
  const progress = stderrProgress('images');
  switch (command.kind) {
    case 'help':
      process.stdout.write(USAGE);
      return;
    case 'build':
      for (const image of await buildImages(command.names, progress)) console.log(line(image));
      return;
    case 'list':
      for (const name of IMAGE_NAMES) console.log(`${imageRef(name).padEnd(32)} ${RECIPES[name].summary}`);
      return;
    case 'supervisor':
      await compile(progress);
      return;
    case 'export': {
      const directory = resolve(command.directory);
      await mkdir(directory, { recursive: true });
      for (const image of await buildImages(IMAGE_NAMES, progress)) {
        await copyFile(image.archive, join(directory, `${image.name}.tar`));
        console.log(line(image));
      }
      return;
    }
    default:
      return assertNever(command);
  }
}

async function compile(progress: Progress): Promise<void> {
  const why = whyNoZig();
  if (why) throw new Error(why);
  await compileSupervisors(SUPERVISOR_BIN, progress);
}

function line({ ref, digest, bytes }: BuiltImage): string {
  return `${ref.padEnd(32)} ${digest} ${(bytes / 1e6).toFixed(1).padStart(6)} MB`;
}

try {
  await main(parseArguments(process.argv.slice(2)));
} catch (error) {
  const wrongUse = error instanceof UsageError;
  process.stderr.write(`images: ${(error as Error).message}\n${wrongUse ? `\n${USAGE}` : ''}`);
  process.exitCode = wrongUse ? 2 : 1;
}
