import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isCompiled, SUPERVISOR_BIN } from './supervisor-programs.ts';

test('[IMG10] the supervisors in the repository were made of the sources in it: npm run images -- supervisor', async () => {
  expect(await isCompiled()).toBe(true);
});

/** Of a Mach-O file: https://github.com/apple-oss-distributions/xnu/blob/main/EXTERNAL_HEADERS/mach-o/loader.h */
const MACH_O = { magic: 0xfeedfacf, execute: 2, commandsAt: 32, codeSignature: 0x1d } as const;

test.each([
  ['x64', 0x01000007, false],
  ['arm64', 0x0100000c, true], // these Macs run no program without a signature
])(
  '[IMG10] the supervisor for a Mac with %s is a program for its processor, signed if it must be',
  async (arch, cpu, signed) => {
    const program = await readFile(join(SUPERVISOR_BIN, `darwin-${arch}`));
    const [magic, processor, , kind, count] = [0, 4, 8, 12, 16].map((at) => program.readUInt32LE(at));
    expect([magic, processor, kind]).toEqual([MACH_O.magic, cpu, MACH_O.execute]);
    const commands: number[] = [];
    for (let at: number = MACH_O.commandsAt; commands.length < (count ?? 0); at += program.readUInt32LE(at + 4)) {
      commands.push(program.readUInt32LE(at));
    }
    expect(commands.includes(MACH_O.codeSignature)).toBe(signed);
  },
);
