export const BUILDS_AT_ONCE = 30;
export const SANDBOXES = 100;

/** With its version given, no check of the image comes before a step. */
const IMAGE = 'image_resource: {type: mock, source: {mirror_self: true}, version: {version: mock}}';
const UPTIME = 'read up rest < /proc/uptime; echo "uptime $up"';

/** The pipeline of a kind of worker, whose tag is on every step. */
export function localPipeline(tag: string): string {
  const task = (name: string, script: string, more = '') =>
    `- {task: ${name}, tags: [${tag}], config: {platform: linux, ${IMAGE}, ${more} run: {path: sh, args: [-c, '${script}']}}}`;
  const handOver = (name: string, fill: string) => `
- name: ${name}
  plan:
  ${task('make', `${fill} ${UPTIME}`, 'outputs: [{name: made}],')}
  ${task('take', `${UPTIME}; ls made > /dev/null`, 'inputs: [{name: made}],')}`;
  const sleepers = Array.from({ length: SANDBOXES }, (_, i) => `    ${task(`s${i}`, 'echo sleeping; exec sleep 600')}`);
  return `
resources:
- {name: thing, type: mock, check_every: never, tags: [${tag}], source: {initial_version: one}}
jobs:
- name: one
  plan:
  ${task('one', 'true')}
- name: chain
  plan:
  - {get: thing, tags: [${tag}]}
  ${task('use', 'ls thing > /dev/null', 'inputs: [{name: thing}],')}
  - {put: thing, tags: [${tag}], params: {version: two}, no_get: true}${handOver('hand-over-empty', '')}${handOver(
    'hand-over-large',
    'head -c 500000000 /dev/zero > made/large;',
  )}
- name: sleepers
  plan:
  - in_parallel:
${sleepers.join('\n')}
`;
}
