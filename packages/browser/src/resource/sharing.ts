import type { SharedAnswer, SharedNameAnswer } from '@seaplane/api/answers';

/** The resource or type whose versions are shared. */
export interface Sharing {
  readonly kind: 'resource' | 'type';
  readonly team: string;
  readonly pipeline: string;
  readonly name: string;
}

/** All others that have its versions. Instances of its pipeline have the same names as it, and are others, too. */
export function othersSharing({ resources, resource_types: types }: SharedAnswer, own: Sharing): readonly string[] {
  const hasSameNames = (each: SharedNameAnswer) =>
    each.name === own.name && each.pipeline_name === own.pipeline && each.team_name === own.team;
  const self = (own.kind === 'resource' ? resources : types).find(hasSameNames);
  const others = [...resources, ...types].filter((each) => each !== self);
  const texts = others.map((each) => {
    const path = `${each.team_name} / ${each.pipeline_name} / ${each.name}`;
    return hasSameNames(each) ? `${path} (in another instance)` : path;
  });
  return [...new Set(texts)];
}
