import type { WarningsAnswer } from './pipeline.ts';

export type RoleName = 'owner' | 'member' | 'pipeline-operator' | 'viewer';

/** Who has a role: `connector:user` and `connector:group`. */
export interface RoleHoldersAnswer {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
}

/** A team (docs/concourse/fly-api.md, section 3.2). */
export interface TeamAnswer {
  readonly id: number;
  readonly name: string;
  readonly auth: Readonly<Partial<Record<RoleName, RoleHoldersAnswer>>>;
}

export interface SavedTeamAnswer extends WarningsAnswer {
  readonly team: TeamAnswer;
}
