import { parseStrictly, refuseSurplus, UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { IMAGE_NAMES, type ImageName, isImageName } from './image-names.ts';

export type Command =
  | { readonly kind: 'help' | 'list' | 'supervisor' }
  | { readonly kind: 'build'; readonly names: readonly ImageName[] }
  | { readonly kind: 'export'; readonly directory: string };

export const USAGE = `Container images for development and tests, made without a container engine.

usage: npm run images -- build [NAME...]    build these images, or all, into the cache
       npm run images -- list               what images there are
       npm run images -- export DIR         copy each as DIR/NAME.tar, for \`ctr images import\`
       npm run images -- supervisor         compile packages/supervisor into its folder bin, for every processor
`;

/** Throws {@link UsageError}. */
export function parseArguments(argv: readonly string[]): Command {
  const options = { help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseStrictly({ args: [...argv], options, allowPositionals: true });
  if (values.help) return { kind: 'help' };
  const [command, ...operands] = positionals;
  switch (command) {
    case 'build':
      return { kind: 'build', names: operands.length > 0 ? operands.map(parseName) : IMAGE_NAMES };
    case 'list':
    case 'supervisor':
      refuseSurplus(operands, 0);
      return { kind: command };
    case 'export': {
      const [directory] = operands;
      if (!directory) throw new UsageError('export: DIR is missing');
      refuseSurplus(operands, 1);
      return { kind: 'export', directory };
    }
    case undefined:
      throw new UsageError('a command is missing');
    default:
      throw new UsageError(`unknown command '${command}'`);
  }
}

function parseName(text: string): ImageName {
  if (!isImageName(text)) throw new UsageError(`no such image: ${text} (there are ${IMAGE_NAMES.join(', ')})`);
  return text;
}
