import type { CheckPlan, GetPlan, JsonObject, Plan, PutPlan, TaskPlan } from '@seaplane/config';

// Small plans for tests.

export function taskPlan(id: string, task: Partial<TaskPlan> = {}): Plan {
  const config = { platform: 'linux', rootfs_uri: 'docker:///busybox', run: { path: 'run', args: ['it'] } };
  const inline = task.config_path === undefined ? { config } : {};
  return { id, task: { name: `task-${id}`, privileged: false, ...inline, ...task } };
}

export function getPlan(id: string, get: Partial<GetPlan> = {}): Plan {
  const base = {
    name: `get-${id}`,
    type: 'git',
    source: { uri: 'u' },
    image: { base_type: 'git' },
    version: { ref: id },
  };
  return { id, get: { ...base, ...get } };
}

export function putPlan(id: string, put: Partial<PutPlan> = {}): Plan {
  return { id, put: { name: `put-${id}`, type: 'git', source: { uri: 'u' }, image: { base_type: 'git' }, ...put } };
}

export function checkPlan(id: string, check: Partial<CheckPlan> = {}): Plan {
  return {
    id,
    check: { name: `check-${id}`, type: 'git', source: { uri: 'u' }, image: { base_type: 'git' }, ...check },
  };
}

/** The image of a custom type, with plans to fetch it. */
export function customImage(id: string, source: JsonObject = {}) {
  return {
    base_type: 'git',
    check_plan: checkPlan(`${id}/image-check`, { name: 'custom', source }),
    get_plan: {
      id: `${id}/image-get`,
      get: {
        name: 'custom',
        type: 'git',
        source,
        image: { base_type: 'git' },
        version_from: `${id}/image-check`,
      },
    },
  };
}
