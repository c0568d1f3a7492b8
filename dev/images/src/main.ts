import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { type BuiltImage, buildImages } from './build-images.ts';
import { IMAGE_NAMES, type ImageName, imageRef, isImageName } from './image-names.ts';
import { RECIPES } from './recipes/index.ts';

const USAGE = `npm run images -- build [NAME...]    build these images, or all, into the cache
npm run images -- list               what images there are
npm run images -- export DIR         copy each as DIR/NAME.tar, for \`ctr images import\``;

async function main([command, ...args]: readonly string[]): Promise<void> {
  const progress = stderrProgress('images');
  switch (command) {
    case 'build':
      for (const image of await buildImages(namesOf(args), progress)) console.log(line(image));
      return;
    case 'list':
      for (const name of IMAGE_NAMES) console.log(`${imageRef(name).padEnd(32)} ${RECIPES[name].summary}`);
      return;
    case 'export': {
      const dir = resolve(args[0] ?? usage('export: DIR is missing'));
      await mkdir(dir, { recursive: true });
      for (const image of await buildImages(IMAGE_NAMES, progress)) {
        await copyFile(image.archive, join(dir, `${image.name}.tar`));
        console.log(line(image));
      }
      return;
    }
    default:
      usage(command ? `no such command: ${command}` : 'a command is missing');
  }
}

function namesOf(args: readonly string[]): readonly ImageName[] {
  const unknown = args.find((arg) => !isImageName(arg));
  if (unknown) usage(`no such image: ${unknown} (there are ${IMAGE_NAMES.join(', ')})`);
  return args.length > 0 ? args.filter(isImageName) : IMAGE_NAMES;
}

function line({ ref, digest, bytes }: BuiltImage): string {
  return `${ref.padEnd(32)} ${digest} ${(bytes / 1e6).toFixed(1).padStart(6)} MB`;
}

function usage(problem: string): never {
  console.error(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

await main(process.argv.slice(2));
