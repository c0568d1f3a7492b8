// The paths of routes (docs/concourse/fly-api.md, section 3). Guards and finders read the parameters by these names.
export const API = '/api/v1';
export const TEAM = `${API}/teams/:team` as const;
export const PIPELINE = `${TEAM}/pipelines/:pipeline` as const;
export const JOB = `${PIPELINE}/jobs/:job` as const;
export const RESOURCE = `${PIPELINE}/resources/:resource` as const;
export const VERSION = `${RESOURCE}/versions/:version` as const;
export const RESOURCE_TYPE = `${PIPELINE}/resource-types/:type` as const;
export const BUILD = `${API}/builds/:build` as const;
export const CONTAINER = `${TEAM}/containers/:handle` as const;
export const WORKER = `${API}/workers/:worker` as const;
