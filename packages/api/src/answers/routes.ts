import type {
  ArchiveBody,
  CheckBody,
  ClearCachesBody,
  CommentBody,
  ConfigBody,
  InstanceOrderBody,
  PinCommentBody,
  PipelineOrderBody,
  PlanBody,
  RenameBody,
  TeamBody,
  WallBody,
} from '../bodies.ts';
import type {
  ArtifactAnswer,
  BuildAnswer,
  BuildPlanAnswer,
  BuildPreparationAnswer,
  BuildResourcesAnswer,
} from './build.ts';
import type { BuildEventAnswer, FirstEventsAnswer } from './build-event.ts';
import type { CausalityAnswer } from './causality.ts';
import type {
  AccountAnswer,
  ComponentAnswer,
  CredentialManagersAnswer,
  InfoAnswer,
  UserAnswer,
  WallAnswer,
} from './info.ts';
import type { JobAnswer, JobSummaryAnswer, NextInputAnswer } from './job.ts';
import type { LiveAnswer } from './live.ts';
import type { ConfigAnswer, PipelineAnswer, WarningsAnswer } from './pipeline.ts';
import type {
  ClearedCachesAnswer,
  ClearedVersionsAnswer,
  ResourceAnswer,
  ResourceTypeAnswer,
  SharedAnswer,
  VersionAnswer,
} from './resource.ts';
import type { FlyTokenAnswer, SessionAnswer } from './session.ts';
import type { SavedTeamAnswer, TeamAnswer } from './team.ts';
import type { ContainerAnswer, VolumeAnswer, WorkerAnswer } from './worker.ts';

/** A JSON answer, to a request with or without a JSON body. */
interface Json<Answer, Body = undefined> {
  readonly answer: Answer;
  readonly body: Body;
}

/** An answer without content. */
type Done<Body = undefined> = Json<undefined, Body>;

/** An answer that is not JSON. */
export interface NotJson {
  readonly contentType: string;
}

interface Download<ContentType extends string> {
  readonly answer: { readonly contentType: ContentType };
  readonly body: undefined;
}

/** Server-sent events, each with JSON data. */
interface Events<Data> {
  readonly answer: { readonly contentType: 'text/event-stream'; readonly data: Data };
  readonly body: undefined;
}

/** A route that refuses every request, with a reason. */
type Refused = Json<never>;

/** A route for WebSockets, which `hijack/upgrade.ts` opens. It refuses a plain request. */
type WebSocketOnly = Json<never>;

/** A route that leads to another one. */
type Redirect = Download<'none'>;

/**
 * Every route below `/api/v1`: the body that it takes, and the answer that it gives unless it refuses. The server's
 * routes are compiled against this table (`http/router.ts`), and a client can be typed by it.
 */
export interface ApiRoutes
  extends InfoRoutes,
    TeamRoutes,
    PipelineRoutes,
    JobRoutes,
    BuildRoutes,
    ResourceRoutes,
    WorkerRoutes {}

export type RouteName = keyof ApiRoutes;

interface InfoRoutes {
  'GET /api/v1/info': Json<InfoAnswer>;
  'GET /api/v1/info/creds': Json<CredentialManagersAnswer>;
  'GET /api/v1/cli': Download<'application/octet-stream'>;
  'GET /api/v1/user': Json<UserAnswer>;
  'GET /api/v1/seaplane/live': Events<LiveAnswer>;
  'GET /api/v1/seaplane/session': Json<SessionAnswer>;
  'POST /api/v1/seaplane/fly-token': Json<FlyTokenAnswer>;
  'GET /api/v1/users': Json<readonly AccountAnswer[]>;
  'GET /api/v1/log-level': Download<'text/plain'>;
  'PUT /api/v1/log-level': Done<string>;
  'GET /api/v1/wall': Json<WallAnswer>;
  'PUT /api/v1/wall': Done<WallBody>;
  'DELETE /api/v1/wall': Done;
  'GET /api/v1/components': Json<readonly ComponentAnswer[]>;
  'PUT /api/v1/components/pause': Done;
  'PUT /api/v1/components/unpause': Done;
  'PUT /api/v1/components/:component/pause': Done;
  'PUT /api/v1/components/:component/unpause': Done;
}

interface TeamRoutes {
  'GET /api/v1/teams': Json<readonly TeamAnswer[]>;
  'GET /api/v1/teams/:team': Json<TeamAnswer>;
  'PUT /api/v1/teams/:team': Json<SavedTeamAnswer, TeamBody>;
  'PUT /api/v1/teams/:team/rename': Json<WarningsAnswer, RenameBody>;
  'DELETE /api/v1/teams/:team': Done;
  'GET /api/v1/teams/:team/cc.xml': Download<'application/xml'>;
}

interface PipelineRoutes {
  'GET /api/v1/pipelines': Json<readonly PipelineAnswer[]>;
  'GET /api/v1/teams/:team/pipelines': Json<readonly PipelineAnswer[]>;
  'PUT /api/v1/teams/:team/pipelines/ordering': Done<PipelineOrderBody>;
  'GET /api/v1/teams/:team/pipelines/:pipeline': Json<PipelineAnswer>;
  'DELETE /api/v1/teams/:team/pipelines/:pipeline': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/pause': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/unpause': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/archive': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/expose': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/hide': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/ordering': Done<InstanceOrderBody>;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/rename': Json<WarningsAnswer, RenameBody>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/config': Json<ConfigAnswer>;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/config': Json<WarningsAnswer, ConfigBody>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/badge': Download<'image/svg+xml'>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/versions-db': Refused;
}

interface JobRoutes {
  'GET /api/v1/jobs': Json<readonly JobSummaryAnswer[]>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/jobs': Json<readonly JobSummaryAnswer[]>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job': Json<JobAnswer>;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/pause': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/unpause': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/schedule': Done;
  'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/inputs': Json<readonly NextInputAnswer[]>;
  'DELETE /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/tasks/:step/cache': Json<ClearedCachesAnswer>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/badge': Download<'image/svg+xml'>;
  'GET /api/v1/pipelines/:pipeline/jobs/:job/badge': Redirect;
}

interface BuildRoutes {
  'GET /api/v1/builds': Json<readonly BuildAnswer[]>;
  'GET /api/v1/teams/:team/builds': Json<readonly BuildAnswer[]>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/builds': Json<readonly BuildAnswer[]>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds': Json<readonly BuildAnswer[]>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build': Json<BuildAnswer>;
  'POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds': Json<BuildAnswer>;
  'POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build': Json<BuildAnswer>;
  'POST /api/v1/teams/:team/builds': Json<BuildAnswer, PlanBody>;
  'POST /api/v1/teams/:team/pipelines/:pipeline/builds': Json<BuildAnswer, PlanBody>;
  'GET /api/v1/builds/:build': Json<BuildAnswer>;
  'GET /api/v1/builds/:build/plan': Json<BuildPlanAnswer>;
  'GET /api/v1/builds/:build/events': Events<BuildEventAnswer>;
  'GET /api/v1/seaplane/builds/:build/first-events': Json<FirstEventsAnswer>;
  'GET /api/v1/builds/:build/resources': Json<BuildResourcesAnswer>;
  'GET /api/v1/builds/:build/preparation': Json<BuildPreparationAnswer>;
  'GET /api/v1/builds/:build/artifacts': Json<readonly ArtifactAnswer[]>;
  'PUT /api/v1/builds/:build/abort': Done;
  'PUT /api/v1/builds/:build/comment': Done<CommentBody>;
}

interface ResourceRoutes {
  'GET /api/v1/resources': Json<readonly ResourceAnswer[]>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources': Json<readonly ResourceAnswer[]>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource': Json<ResourceAnswer>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resource-types': Json<readonly ResourceTypeAnswer[]>;
  'POST /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/check': Json<BuildAnswer, CheckBody>;
  'POST /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/check/webhook': Json<BuildAnswer>;
  'POST /api/v1/teams/:team/pipelines/:pipeline/resource-types/:type/check': Json<BuildAnswer, CheckBody>;
  'POST /api/v1/teams/:team/pipelines/:pipeline/prototypes/:type/check': Json<BuildAnswer, CheckBody>;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/unpin': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/pin_comment': Done<PinCommentBody>;
  'DELETE /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/cache': Json<
    ClearedCachesAnswer,
    ClearCachesBody
  >;
  'DELETE /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions': Json<ClearedVersionsAnswer>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/shared': Json<SharedAnswer>;
  'DELETE /api/v1/teams/:team/pipelines/:pipeline/resource-types/:type/versions': Json<ClearedVersionsAnswer>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resource-types/:type/shared': Json<SharedAnswer>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions': Json<readonly VersionAnswer[]>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version': Json<VersionAnswer>;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/enable': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/disable': Done;
  'PUT /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/pin': Done;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/input_to': Json<
    readonly BuildAnswer[]
  >;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/output_of': Json<
    readonly BuildAnswer[]
  >;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/upstream': Json<CausalityAnswer>;
  'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/downstream': Json<CausalityAnswer>;
}

interface WorkerRoutes {
  'GET /api/v1/workers': Json<readonly WorkerAnswer[]>;
  'POST /api/v1/workers': Refused;
  'DELETE /api/v1/workers/:worker': Refused;
  'PUT /api/v1/workers/:worker/heartbeat': Refused;
  'PUT /api/v1/workers/:worker/land': Done;
  'PUT /api/v1/workers/:worker/retire': Done;
  'PUT /api/v1/workers/:worker/prune': Done;
  'GET /api/v1/teams/:team/containers': Json<readonly ContainerAnswer[]>;
  'GET /api/v1/teams/:team/containers/:handle': Json<ContainerAnswer>;
  'GET /api/v1/teams/:team/containers/:handle/hijack': WebSocketOnly;
  'GET /api/v1/containers/destroying': Refused;
  'PUT /api/v1/containers/report': Refused;
  'GET /api/v1/teams/:team/volumes': Json<readonly VolumeAnswer[]>;
  'GET /api/v1/volumes/destroying': Refused;
  'PUT /api/v1/volumes/report': Refused;
  'POST /api/v1/teams/:team/artifacts': Json<ArtifactAnswer, ArchiveBody>;
  'GET /api/v1/teams/:team/artifacts/:artifact': Download<'application/octet-stream'>;
}
