import { instanceVarsQuery } from '@seaplane/config';
import { escapeXml } from './escape-xml.ts';
import type { JobParts } from './job-json.ts';

/** Jobs that have a finished build, in the XML that build monitors read. */
export function ccTray(jobs: readonly JobParts[], externalUrl: string): string {
  const projects = jobs.flatMap((parts) => (parts.finished ? [project(parts, externalUrl)] : []));
  return `<Projects>${projects.join('')}</Projects>`;
}

function project({ job, pipeline, finished, next }: JobParts, externalUrl: string): string {
  const { name, instanceVars } = pipeline;
  const query = instanceVarsQuery(instanceVars);
  const path = ['teams', pipeline.teamName, 'pipelines', name, 'jobs', job.name].map(encodeURIComponent).join('/');
  const attributes = {
    activity: next ? 'Building' : 'Sleeping',
    lastBuildLabel: finished?.name ?? '',
    lastBuildStatus: STATUSES[finished?.status ?? ''] ?? 'Exception',
    lastBuildTime: (finished?.endedAt ?? new Date(0)).toISOString().replace(/\.\d+Z$/, 'Z'),
    name: `${name}${instanceVars ? `/${JSON.stringify(instanceVars)}` : ''}/${job.name}`,
    webUrl: `${externalUrl}/${path}${query && `?${query}`}`,
  };
  const text = Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(value)}"`);
  return `<Project ${text.join(' ')}></Project>`;
}

const STATUSES: Readonly<Record<string, string>> = { succeeded: 'Success', failed: 'Failure' };
