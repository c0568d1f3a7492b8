export interface Arguments {
  readonly options: Readonly<Record<string, string>>;
  readonly positionals: readonly string[];
}

/** Splits `--name value` options with these names from the other arguments. node:util could, but takes 4 ms to load. */
export function parseArguments(args: readonly string[], names: readonly string[]): Arguments {
  const options: Record<string, string> = {};
  const positionals: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [arg, value] = [args[i] as string, args[i + 1]];
    if (!arg.startsWith('--')) {
      positionals.push(arg);
      continue;
    }
    if (!names.includes(arg.slice(2))) throw new Error(`no such option: ${arg}`);
    if (value === undefined) throw new Error(`${arg} has no value`);
    options[arg.slice(2)] = value;
    i++;
  }
  return { options, positionals };
}
