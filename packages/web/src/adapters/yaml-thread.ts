import { parentPort, workerData } from 'node:worker_threads';
import { ConfigError, parseYaml, type YamlOptions } from '@seaplane/config';

/** The answer of a thread that parsed a text. The tree is JSON text: a thread cannot send exact large integers. */
export type ThreadAnswer = { readonly json: string } | { readonly mistake: string };

export interface ThreadTask {
  readonly text: string;
  readonly options: YamlOptions;
}

// The program of a thread of YamlThreads: parses one text and ends.
parentPort?.postMessage(answer(workerData as ThreadTask));

function answer({ text, options }: ThreadTask): ThreadAnswer {
  try {
    return { json: JSON.stringify(parseYaml(text, options)) };
  } catch (error) {
    if (error instanceof ConfigError) return { mistake: error.message };
    throw error;
  }
}
