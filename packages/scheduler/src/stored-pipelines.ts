import { type PipelineConfig, readSavedPipeline } from '@seaplane/config';
import { type Queryable, readPipelineConfigUnless } from '@seaplane/db';

/** How much JSON text the kept pipelines may have. Their objects need several times as much memory. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

interface Kept {
  readonly version: number;
  readonly characters: number;
  readonly pipeline: PipelineConfig;
}

/**
 * The stored configurations of pipelines. Each version is parsed and validated once; the result is kept until the
 * pipeline changes, or until others that were used later need the room. Callers share it and must not change it.
 */
export class StoredPipelines {
  readonly #maxCharacters: number;
  /** By pipeline, the one that was used last at the end. */
  readonly #kept = new Map<number, Kept>();
  #characters = 0;

  constructor({ maxCharacters = MAX_CHARACTERS }: { readonly maxCharacters?: number } = {}) {
    this.#maxCharacters = maxCharacters;
  }

  /** Reads a pipeline as it is now. Throws if the pipeline is archived or this version of web cannot read it. */
  async read(db: Queryable, pipelineId: number): Promise<PipelineConfig> {
    const known = this.#kept.get(pipelineId);
    const stored = await readPipelineConfigUnless(db, pipelineId, known?.version);
    if (!stored) throw new Error(`pipeline ${pipelineId} has no configuration: it is archived or was destroyed`);
    if (stored === 'unchanged') {
      if (!known) throw new Error(`pipeline ${pipelineId} has a version that nobody knows`);
      this.#keep(pipelineId, known);
      return known.pipeline;
    }
    const { config, version, characters } = stored;
    const pipeline = readSavedPipeline(config);
    this.#keep(pipelineId, { version, characters, pipeline });
    return pipeline;
  }

  #keep(pipelineId: number, used: Kept): void {
    this.#drop(pipelineId);
    this.#kept.set(pipelineId, used);
    this.#characters += used.characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#maxCharacters) return;
      this.#drop(oldest);
    }
  }

  #drop(pipelineId: number): void {
    this.#characters -= this.#kept.get(pipelineId)?.characters ?? 0;
    this.#kept.delete(pipelineId);
  }
}
