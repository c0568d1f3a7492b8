import {
  assertNever,
  ConfigError,
  DOCUMENT_LIMITS,
  decodeYaml,
  findExcess,
  type Json,
  type LoadVarPlan,
  parseJson,
} from '@seaplane/config';
import { EngineError } from '../engine-error.ts';
import type { BuildWalk } from '../walk/build-walk.ts';
import type { Step } from '../walk/step.ts';
import type { StepPlace, StepVisit } from '../walk/step-visit.ts';
import { readArtifactFile } from './artifact-file.ts';
import { leafStep } from './leaf.ts';
import { resolveVars } from './variables.ts';

const FORMATS = ['raw', 'trim', 'yml', 'yaml', 'json'] as const;
type Format = (typeof FORMATS)[number];

interface Loaded {
  /** JSON text, because the value may hold an integer that is too large for a JavaScript number. */
  readonly value: string;
}

/** Reads a file's content into a local variable. */
export function loadVarStep(walk: BuildWalk, place: StepPlace, plan: LoadVarPlan): Step {
  return leafStep<Loaded>(walk, place, {
    work: async (visit) => ({ done: { value: JSON.stringify(await loadVar(visit, plan)) } }),
    conclude: async ({ value }, { events, state }) => {
      const loaded = parseJson(value);
      if (!plan.reveal) walk.secrets.track(loaded);
      state.localVars.set(plan.name, loaded);
      await events.writeLine('stdout', `var ${plan.name} fetched.`);
      await events.writeLine('stdout', `added var ${plan.name} to build.`);
      await events.emit('finish', { succeeded: true });
      return 'succeeded';
    },
  });
}

async function loadVar(visit: StepVisit, plan: LoadVarPlan): Promise<Json> {
  await visit.events.emit('initialize', {});
  const { file, format } = await resolveVars(visit, { file: plan.file, format: plan.format ?? '' });
  await visit.events.emit('start', {});
  const chosen = formatOf(String(file), String(format));
  const bytes = await readArtifactFile(visit, String(file), DOCUMENT_LIMITS.vars, {
    noArtifact: (path) => `file '${path}' does not specify where the file lives`,
    notFound: (artifact, path) => `file '${path}' not found within artifact '${artifact}'`,
  });
  try {
    return await parseAs(visit, chosen, bytes);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const name = chosen === 'yml' ? 'yaml' : chosen;
    throw new EngineError('file-invalid', `failed to parse ${file} in format ${name}: ${error.message}`, {
      cause: error,
    });
  }
}

/** The given format, else the format that the file's name suggests, else `trim`. */
function formatOf(file: string, asked: string): Format {
  const known = FORMATS.find((format) => format === asked);
  if (known) return known;
  if (asked) throw new EngineError('file-invalid', `invalid format ${asked}`);
  const ending = file
    .slice(file.lastIndexOf('/') + 1)
    .split('.')
    .slice(1)
    .at(-1);
  return FORMATS.find((format) => format === ending) ?? 'trim';
}

async function parseAs(visit: StepVisit, format: Format, bytes: Uint8Array): Promise<Json> {
  const text = () => Buffer.from(bytes).toString('utf8');
  switch (format) {
    case 'raw':
      return text();
    case 'trim':
      return text().trim();
    case 'json':
      return parseBoundedJson(text());
    case 'yml':
    case 'yaml':
      return visit.walk.seams.yaml.parse(decodeYaml(bytes), visit.ctx.signal, { lastKeyWins: true });
    default:
      return assertNever(format);
  }
}

function parseBoundedJson(text: string): Json {
  const tree = parseJson(text);
  const excess = findExcess(tree);
  if (excess) throw new ConfigError('invalid-json', excess);
  return tree;
}
