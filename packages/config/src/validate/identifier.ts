import type { ConfigWarning } from '../pipeline/pipeline.ts';

const LETTER = '\\p{Ll}\\p{Lt}\\p{Lm}\\p{Lo}0-9';
const VALID = new RegExp(`^[${LETTER}][${LETTER}\\-_.]*$`, 'u');
const BAD_START = new RegExp(`^[^${LETTER}]`, 'u');
const ILLEGAL = new RegExp(`[^${LETTER}\\-_.]`, 'u');

export type IdentifierProblem =
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'warning'; readonly warning: ConfigWarning };

/**
 * Checks a name. An empty name is an error. Other invalid names cause a warning, because old pipelines have them.
 * `context` is the path to the name, in pieces.
 */
export function checkIdentifier(name: string, context: readonly string[]): IdentifierProblem | undefined {
  const where = context.join('');
  if (name === '') return { kind: 'error', message: `${where}: identifier cannot be an empty string` };
  if (isNamedByAcross(context)) return undefined;
  const reason = reasonAgainst(name);
  if (reason === undefined) return undefined;
  const message = `${where}: '${name}' is not a valid identifier: ${reason}`;
  return { kind: 'warning', warning: { type: 'invalid_identifier', message } };
}

/** Names of tasks and pipelines directly under `across` often contain its variables. */
function isNamedByAcross(context: readonly string[]): boolean {
  const last = context.at(-1) ?? '';
  return context.at(-2) === '.across' && (last.includes('set_pipeline') || last.includes('task'));
}

function reasonAgainst(name: string): string | undefined {
  if (/^[0-9]+$/.test(name)) return 'cannot be just numbers';
  if (VALID.test(name)) return undefined;
  if (BAD_START.test(name)) return 'must start with a lowercase letter or a number';
  return `illegal character '${ILLEGAL.exec(name)?.[0] ?? ''}'`;
}
