import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** A pipeline to set on both servers. */
export interface PipelineFile {
  /** The file that was given, for the report. */
  readonly path: string;
  /** The pipeline's name on both servers. */
  readonly name: string;
  readonly text: string;
}

const PIPELINE_KEY = /^(jobs|resources|resource_types|groups|var_sources|prototypes)\s*:/m;
const TASK_KEY = /^(platform|run|image_resource|rootfs_uri)\s*:/m;

/** Reads a pipeline, or a task file as a pipeline of one job that runs the task. */
export async function readPipelineFile(path: string): Promise<PipelineFile> {
  const text = await readFile(path, 'utf8');
  const name = basename(path)
    .replace(/\.ya?ml$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-');
  return { path, name, text: isTask(text) ? pipelineOfTask(text) : text };
}

function isTask(text: string): boolean {
  return TASK_KEY.test(text) && !PIPELINE_KEY.test(text);
}

/**
 * The server itself reads the task: fly would read and rewrite it first. A task without an image of its own runs in
 * that of the type mock. JSON is YAML, and keeps each byte of the text.
 */
function pipelineOfTask(text: string): string {
  const source = { initial_version: 'one', create_files: { 'task.yml': text } };
  const image = { name: 'image', type: 'mock', source: { mirror_self: true } };
  const hasImage = /^\s*image_resource\s*:/m.test(text);
  return JSON.stringify({
    resources: [{ name: 'files', type: 'mock', source }, ...(hasImage ? [] : [image])],
    jobs: [
      {
        name: 'task',
        plan: [
          { get: 'files' },
          ...(hasImage ? [] : [{ get: 'image' }]),
          { task: 'task', file: 'files/task.yml', ...(!hasImage && { image: 'image' }) },
        ],
      },
    ],
  });
}
