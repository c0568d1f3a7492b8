import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The drawing of an icon as an SVG document. Undefined if the set has none of this name. */
export type FindIcon = (set: IconSet, name: string) => Promise<string | undefined>;

export type IconSet = 'mdi' | 'si';

/**
 * Finds icons in what `npm run browser` has written: a file a set, with a line an icon. A file is read when somebody asks
 * for an icon of its set for the first time. It has millions of bytes, so it is kept as bytes and searched.
 */
export function iconsIn(directory: string): FindIcon {
  const files = new Map<IconSet, Promise<Buffer>>();
  const read = (set: IconSet) => {
    const file = files.get(set) ?? readFile(join(directory, `${set}.txt`));
    files.set(set, file);
    file.catch(() => files.delete(set)); // the next request tries again
    return file;
  };
  return async (set, name) => {
    const file = await read(set);
    // Icons that were renamed have a line that leads to the new name.
    const found = findLine(file, name);
    const path = found?.startsWith('=') ? findLine(file, found.slice(1)) : found;
    return path && `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="${path}"/></svg>`;
  };
}

/** The rest of the line that begins with this name. */
function findLine(file: Buffer, name: string): string | undefined {
  const start = `\n${name} `;
  const at = file.indexOf(start);
  return at < 0 ? undefined : file.toString('utf8', at + start.length, file.indexOf('\n', at + start.length));
}
