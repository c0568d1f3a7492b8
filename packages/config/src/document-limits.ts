const MIB = 1024 * 1024;

/** How many bytes a document of each kind may have. Longer documents are refused before they are parsed. */
export const DOCUMENT_LIMITS = {
  pipeline: 4 * MIB,
  /** A file with a task's configuration. */
  task: MIB,
  /** A file that load_var reads, or one of the var_files of set_pipeline. */
  vars: MIB,
} as const;
