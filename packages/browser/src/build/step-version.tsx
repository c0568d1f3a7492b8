import type { BuildInputAnswer } from '@seaplane/api/answers';
import { filterQuery, versionText } from '../resource/versions.ts';
import { type PipelineRef, resourcePath } from '../routes/routes.ts';
import type { LeafStep } from './steps.ts';

/** The pipeline that the versions of a build belong to, if there is one, and the versions that the build got. */
export interface StepVersions {
  readonly of: PipelineRef | undefined;
  readonly inputs: readonly BuildInputAnswer[] | undefined;
}

/** Whether no build of the job got the version of this step before. */
export function isNewVersion({ type, name, version }: LeafStep, inputs: readonly BuildInputAnswer[] = []): boolean {
  if (type !== 'get' || version === undefined) return false;
  const own = inputs.find((input) => input.name === name && versionText(input.version) === versionText(version));
  return own?.first_occurrence === true;
}

/** Leads to the version on the page of its resource. */
export function VersionLink({ step: { resource, version }, of }: { step: LeafStep; of: PipelineRef | undefined }) {
  if (!of || resource === undefined || version === undefined) return null;
  return (
    <p class="step-note">
      <a href={resourcePath(of, resource, filterQuery(version))}>This version of {resource}</a>
    </p>
  );
}
