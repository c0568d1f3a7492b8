import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface IconSet {
  readonly icons: Readonly<Record<string, { readonly body: string }>>;
  /** Other names of icons, such as those they had in earlier versions. */
  readonly aliases?: Readonly<Record<string, { readonly parent: string }>>;
}

/** The sets that a resource may name an icon of, as they are named in addresses, each with its origin and its licence. */
const SETS = [
  {
    set: 'mdi',
    file: import.meta.resolve('@iconify-json/mdi/icons.json'),
    origin: 'Material Design Icons by Pictogrammers, https://pictogrammers.com, Apache-2.0',
  },
  {
    set: 'si',
    file: import.meta.resolve('@iconify-json/simple-icons/icons.json'),
    origin: 'Simple Icons, https://simpleicons.org, CC0-1.0; the brands belong to their owners',
  },
];

/** Writes `icons/SET.txt` for web, which finds icons there one by one. */
export async function writeIcons(directory: string): Promise<void> {
  await mkdir(join(directory, 'icons'), { recursive: true });
  for (const { set, file, origin } of SETS) {
    const icons = JSON.parse(await readFile(fileURLToPath(file), 'utf8')) as IconSet;
    await writeFile(join(directory, 'icons', `${set}.txt`), `# ${origin}\n${linesOf(icons).join('')}`);
  }
}

/** `NAME PATH` for each icon that is one filled path, and `NAME =NAME` for each other name of such an icon. */
export function linesOf({ icons, aliases = {} }: IconSet): string[] {
  const paths = new Map(Object.entries(icons).map(([name, { body }]) => [name, onlyPath(body)]));
  const drawn = [...paths].flatMap(([name, path]) => (path === undefined ? [] : [`${name} ${path}\n`]));
  const named = Object.entries(aliases).filter(([, { parent }]) => paths.get(parent) !== undefined);
  return [...drawn, ...named.map(([name, { parent }]) => `${name} =${parent}\n`)];
}

/** Four retired icons of thousands are not a path alone. They are left out. */
function onlyPath(body: string): string | undefined {
  return /^<path (?:fill="currentColor" )?d="([^"<>\n]+)"(?: fill="currentColor")?\/>$/.exec(body)?.[1];
}
