import { ConfigError, interpolate, type Json, type VarReference } from '@seaplane/config';
import { CredentialError } from '@seaplane/credentials';
import type { Variables } from '@seaplane/engine';

/** Says for each value whose variables cannot be found why, in words. Local variables are set by builds, so they are passed over. */
export async function credentialProblems(
  variables: Variables,
  values: readonly Json[],
  signal: AbortSignal,
): Promise<string[]> {
  const lookup = async (reference: VarReference) => (reference.source === '.' ? '' : variables.get(reference, signal));
  const placesOf = (reference: VarReference) => variables.placesOf(reference, signal);
  const problems: string[] = [];
  for (const value of values) {
    try {
      await interpolate(value, lookup, { allowMissing: false, placesOf });
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof CredentialError)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}
