/** How a piece of a log looks. Colours are numbers of the palette (0-15) or CSS colours. */
export interface TextStyle {
  readonly foreground?: number | string;
  readonly background?: number | string;
  readonly bold?: true;
  readonly faint?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly inverse?: true;
  /** An address that the program made this text lead to. Only http and https. */
  readonly href?: string;
}

export const PLAIN: TextStyle = {};

const FLAGS = { 1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline', 7: 'inverse', 9: 'strike' } as const;
const ENDS: Readonly<Record<number, readonly (keyof TextStyle)[]>> = {
  22: ['bold', 'faint'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
  39: ['foreground'],
  49: ['background'],
};

/** The style after an SGR sequence, such as `1;31`. Unknown numbers change nothing. */
export function applySgr(style: TextStyle, parameters: readonly number[]): TextStyle {
  let next = style;
  for (let i = 0; i < Math.max(1, parameters.length); i += 1) {
    const code = parameters[i] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extendedColour(parameters.slice(i + 1));
      i += used;
      if (colour !== undefined) next = { ...next, [code === 38 ? 'foreground' : 'background']: colour };
    } else next = applyCode(next, code);
  }
  return next;
}

function applyCode(style: TextStyle, code: number): TextStyle {
  if (code === 0) return style.href === undefined ? PLAIN : { href: style.href };
  if (code in FLAGS) return { ...style, [FLAGS[code as keyof typeof FLAGS]]: true };
  if (code in ENDS) return without(style, ENDS[code] ?? []);
  if (code >= 30 && code <= 37) return { ...style, foreground: code - 30 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 90 && code <= 97) return { ...style, foreground: code - 90 + 8 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 100 + 8 };
  return style;
}

function without(style: TextStyle, keys: readonly (keyof TextStyle)[]): TextStyle {
  return Object.fromEntries(Object.entries(style).filter(([key]) => !keys.includes(key as keyof TextStyle)));
}

/** `5;N` is a colour of 256, `2;R;G;B` is any. Returns it with how many parameters it took. */
function extendedColour([kind, ...rest]: readonly number[]): readonly [
  colour: number | string | undefined,
  used: number,
] {
  if (kind === 5) return [indexedColour(rest[0] ?? 0), 2];
  if (kind === 2) return [`rgb(${rest.slice(0, 3).map(byte).join(' ')})`, 4];
  return [undefined, 1];
}

function indexedColour(index: number): number | string {
  if (index < 16) return Math.max(0, index);
  if (index >= 232) {
    const grey = byte(8 + (index - 232) * 10);
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (each: number) => (each === 0 ? 0 : 55 + each * 40);
  const at = index - 16;
  return `rgb(${level(Math.floor(at / 36))} ${level(Math.floor(at / 6) % 6)} ${level(at % 6)})`;
}

function byte(value: number): number {
  return Math.min(255, Math.max(0, Math.floor(value) || 0));
}
