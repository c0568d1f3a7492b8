import type { JobSummaryAnswer, PipelineAnswer } from '@seaplane/api/answers';
import { instanceVarsQuery } from '@seaplane/config/instance-vars';
import { varsText } from '../dashboard/vars-text.ts';
import { jobPath, NEW_PIPELINE_PATH, pipelinePath } from '../routes/routes.ts';

/** A place to go to. */
export interface PaletteItem {
  readonly kind: 'page' | 'pipeline' | 'job' | 'build';
  readonly text: string;
  /** What tells apart items with the same text. */
  readonly detail: string;
  readonly href: string;
}

const PAGES: readonly PaletteItem[] = [
  { kind: 'page', text: 'All pipelines', detail: '', href: '/' },
  { kind: 'page', text: 'Activity', detail: '', href: '/activity' },
  { kind: 'page', text: 'Workers', detail: '', href: '/workers' },
  { kind: 'page', text: 'New pipeline', detail: '', href: NEW_PIPELINE_PATH },
  { kind: 'page', text: 'Download fly', detail: '', href: '/download-fly' },
];

export function itemsOf(
  pipelines: readonly PipelineAnswer[],
  jobs: readonly JobSummaryAnswer[],
): readonly PaletteItem[] {
  return [
    ...PAGES,
    ...pipelines
      .filter(({ archived }) => !archived)
      .map(({ name, team_name: team, instance_vars: vars }): PaletteItem => {
        const detail = vars === undefined ? team : `${team}, ${varsText(vars)}`;
        return {
          kind: 'pipeline',
          text: name,
          detail,
          href: pipelinePath({ team, pipeline: name, vars: instanceVarsQuery(vars) }),
        };
      }),
    ...jobs.map(({ name, team_name: team, pipeline_name: pipeline, pipeline_instance_vars: vars }): PaletteItem => {
      const ref = { team, pipeline, vars: instanceVarsQuery(vars) };
      return { kind: 'job', text: `${pipeline} / ${name}`, detail: team, href: jobPath(ref, name) };
    }),
  ];
}

const MOST_SHOWN = 50;

/** The items that have the letters of the query in order, best first. A number is also the id of a build. */
export function findItems(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return items.slice(0, MOST_SHOWN);
  const scored = items.flatMap((item) => {
    const score = scoreOf(item.text.toLowerCase(), wanted);
    return score === undefined ? [] : [{ item, score }];
  });
  const found = scored.toSorted((a, b) => b.score - a.score).map(({ item }) => item);
  const id = /^#?(\d+)$/.exec(wanted)?.[1];
  const build: PaletteItem[] = id
    ? [{ kind: 'build', text: `Build ${id}`, detail: 'by its id', href: `/builds/${id}` }]
    : [];
  return [...build, ...found].slice(0, MOST_SHOWN);
}

/** Undefined if a letter is missing. Letters in a row and at the beginning of a word count more, long texts less. */
function scoreOf(text: string, wanted: string): number | undefined {
  let [at, score, inRow] = [0, 0, 0];
  for (const letter of wanted.replaceAll(' ', '')) {
    const found = text.indexOf(letter, at);
    if (found < 0) return undefined;
    inRow = found === at ? inRow + 1 : 1;
    const isBegin = found === 0 || /[^a-z0-9]/.test(text[found - 1] ?? '');
    score += inRow + (isBegin ? 3 : 0);
    at = found + 1;
  }
  return score - text.length / 100;
}
