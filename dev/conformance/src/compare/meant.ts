import type { Difference } from './differences.ts';

/** A difference that is meant, or that comes from comparing with another version than 8.2.5. */
export interface Meant {
  readonly path: RegExp;
  /** Whether the two values are those of this difference; left out: any values are. */
  readonly fits?: (difference: Difference) => boolean;
  readonly why: string;
}

const ACROSS_WARNING = 'WARNING: the across step is experimental';

export const MEANT: readonly Meant[] = [
  {
    path: /^set\.stderr$/,
    fits: ({ concourse, ours }) => withNewWords(concourse) === ours,
    why: '8.2.5 takes patterns in `passed` and says so in other words than 7.14.2',
  },
  {
    path: /\.data\.message$/,
    fits: ({ concourse, ours }) => withNewWords(concourse) === ours,
    why: '8.2.5 has other words for unknown fields of a task file than 7.14.2',
  },
  {
    path: /^builds\.(unparsable|bad-vars) #1\./,
    why: '8.2.5 fails a set_pipeline whose file is not YAML, 7.14.2 errs',
  },
  {
    path: /\.data\.message$/,
    fits: ({ concourse, ours }) =>
      /^start process: /.test(String(concourse)) && withoutStat(concourse).includes(escaped(ours)),
    why: 'the cause alone, without the layers of the worker around it',
  },
  {
    path: /\.data\.message$/,
    fits: ({ concourse, ours }) => parsedText(concourse) !== undefined && parsedText(concourse) === parsedText(ours),
    why: 'each parser has words of its own for a text that it cannot read',
  },
  {
    path: /\.output\.\S+ stderr$/,
    fits: ({ concourse, ours }) => ours === undefined && String(concourse).startsWith(ACROSS_WARNING),
    why: 'across is not experimental any more in 8.2.5',
  },
];

/** The message of runc names the file a second time. */
function withoutStat(text: unknown): string {
  return String(text).replace(/: stat \S+: /, ': ');
}

/** A text as it stands within JSON. */
function escaped(text: unknown): string {
  return JSON.stringify(String(text)).slice(1, -1);
}

/** The beginning of the message about a file that cannot be parsed, up to the parser's own words. */
function parsedText(message: unknown): string | undefined {
  return /^failed to parse \S+ in format \w+: /.exec(String(message))?.[0];
}

/** A text of Concourse 7.14.2 in the words of 8.2.5. */
function withNewWords(text: unknown): string {
  return String(text)
    .replaceAll(/: unknown job '([^']*)'/g, ": no matching job(s) for '$1'")
    .replaceAll(/error unmarshaling JSON: while decoding JSON: json: unknown field "([^"]*)"/g, 'unknown fields: [$1]');
}

export function whyMeant(difference: Difference): Meant | undefined {
  return MEANT.find(({ path, fits }) => path.test(difference.path) && (fits?.(difference) ?? true));
}
