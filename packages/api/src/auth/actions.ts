import type { Role } from '@seaplane/db';

/**
 * The actions of routes, by Concourse's own names, and the lowest role in the team that may do each
 * (docs/concourse/fly-api.md, section 3). Guards read this table. Routes that are open, or for administrators only, are
 * not listed.
 */
export const ACTION_ROLES = {
  ListTeams: 'viewer',
  GetTeam: 'viewer',
  SetTeam: 'owner',
  RenameTeam: 'owner',
  ListTeamBuilds: 'viewer',
  GetCC: 'viewer',

  ListAllPipelines: 'viewer',
  ListPipelines: 'viewer',
  GetPipeline: 'viewer',
  GetConfig: 'viewer',
  SaveConfig: 'member',
  DeletePipeline: 'member',
  OrderPipelines: 'member',
  OrderPipelinesWithinGroup: 'member',
  PausePipeline: 'pipeline-operator',
  UnpausePipeline: 'pipeline-operator',
  ArchivePipeline: 'member',
  ExposePipeline: 'member',
  HidePipeline: 'member',
  RenamePipeline: 'member',
  ListPipelineBuilds: 'viewer',
  CreatePipelineBuild: 'member',
  PipelineBadge: 'viewer',

  ListAllJobs: 'viewer',
  ListJobs: 'viewer',
  GetJob: 'viewer',
  ListJobBuilds: 'viewer',
  CreateJobBuild: 'pipeline-operator',
  RerunJobBuild: 'pipeline-operator',
  GetJobBuild: 'viewer',
  ListJobInputs: 'viewer',
  PauseJob: 'pipeline-operator',
  UnpauseJob: 'pipeline-operator',
  ScheduleJob: 'pipeline-operator',
  JobBadge: 'viewer',
  ClearTaskCache: 'pipeline-operator',

  ListBuilds: 'viewer',
  CreateBuild: 'member',
  GetBuild: 'viewer',
  GetBuildPlan: 'viewer',
  BuildEvents: 'viewer',
  BuildResources: 'viewer',
  AbortBuild: 'pipeline-operator',
  GetBuildPreparation: 'viewer',
  ListBuildArtifacts: 'viewer',
  SetBuildComment: 'pipeline-operator',

  ListAllResources: 'viewer',
  ListResources: 'viewer',
  GetResource: 'viewer',
  ListResourceTypes: 'viewer',
  CheckResource: 'pipeline-operator',
  CheckResourceType: 'pipeline-operator',
  CheckPrototype: 'pipeline-operator',
  ListResourceVersions: 'viewer',
  GetResourceVersion: 'viewer',
  EnableResourceVersion: 'pipeline-operator',
  DisableResourceVersion: 'pipeline-operator',
  PinResourceVersion: 'pipeline-operator',
  UnpinResource: 'pipeline-operator',
  SetPinCommentOnResource: 'pipeline-operator',
  ListBuildsWithVersionAsInput: 'viewer',
  ListBuildsWithVersionAsOutput: 'viewer',
  ClearResourceCache: 'pipeline-operator',

  ListContainers: 'viewer',
  GetContainer: 'viewer',
  HijackContainer: 'member',
  ListVolumes: 'viewer',
  ListWorkers: 'viewer',
  LandWorker: 'member',
  RetireWorker: 'member',
  PruneWorker: 'member',
  CreateArtifact: 'member',
  GetArtifact: 'member',
} as const satisfies Record<string, Role>;

export type Action = keyof typeof ACTION_ROLES;

/** The lowest role that may do each action, by default or as the operator says. */
export type ActionRoles = Readonly<Record<Action, Role>>;
