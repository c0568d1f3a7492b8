/** A pipeline to begin with: one job, whose task prints a line. */
export const FIRST_PIPELINE = `jobs:
- name: hello
  plan:
  - task: greet
    config:
      platform: linux
      image_resource:
        type: registry-image
        source: {repository: busybox}
      run: {path: echo, args: [hello, world]}
`;
