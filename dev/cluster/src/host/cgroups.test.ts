import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { layoutOf } from '../layout.ts';
import { existingCgroups, type MachineCgroups, makeCgroups, removeCgroups, whyNoCgroups } from './cgroups.ts';

const layout = layoutOf(3);
let machine: MachineCgroups;

beforeEach(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cgroups-'));
  machine = { root: join(directory, 'root'), enabled: join(directory, 'enabled'), needed: ['cpu', 'memory', 'pids'] };
  await mkdir(machine.root);
});
afterEach(() => rm(join(machine.root, '..'), { recursive: true }));

const put = (file: string, content: string) => writeFile(join(machine.root, file), content);
const read = (file: string) => readFile(join(machine.root, file), 'utf8');

test('[CL16] a machine without cgroups can have no cluster, and the words say so', () => {
  expect(whyNoCgroups(machine)).toContain('needs cgroups (version 1 or 2)');
});

test('[CL16] version 2: the controllers that are off are written down and enabled, and the cluster has one cgroup', async () => {
  await put('cgroup.controllers', 'cpuset cpu io memory hugetlb pids\n');
  await put('cgroup.subtree_control', 'cpu memory pids\n');
  expect(whyNoCgroups(machine)).toBeUndefined();
  await makeCgroups(layout, machine);
  expect(await read('cgroup.subtree_control')).toBe('+hugetlb');
  expect(await readFile(machine.enabled, 'utf8')).toBe('hugetlb');
  expect(await existingCgroups(layout, machine)).toEqual([join(machine.root, layout.cgroup)]);
  await mkdir(join(machine.root, layout.cgroup, 'kubepods/burstable'), { recursive: true });
  await removeCgroups(layout, machine);
  expect(await existingCgroups(layout, machine)).toEqual([]);
});

test('[CL16] version 2: a controller that the machine lacks is named, and nothing is made', async () => {
  await put('cgroup.controllers', 'cpu memory\n');
  await put('cgroup.subtree_control', '\n');
  await expect(makeCgroups(layout, machine)).rejects.toThrow('the cgroup controllers pids are missing');
  expect(await existingCgroups(layout, machine)).toEqual([]);
});

test('[CL16] version 1: there is a cgroup in each hierarchy but the empty one of version 2, with processors and memory', async () => {
  for (const hierarchy of ['cpuset', 'memory', 'unified']) await mkdir(join(machine.root, hierarchy));
  await put('cpuset/cpuset.cpus', '0-1\n');
  await put('cpuset/cpuset.mems', '0\n');
  expect(whyNoCgroups(machine)).toBeUndefined();
  await makeCgroups(layout, machine);
  expect(await existingCgroups(layout, machine)).toEqual(
    ['cpuset', 'memory'].map((hierarchy) => join(machine.root, hierarchy, layout.cgroup)),
  );
  expect(await read(`cpuset/${layout.cgroup}/cpuset.cpus`)).toBe('0-1');
  expect(await read(`cpuset/${layout.cgroup}/cpuset.mems`)).toBe('0');
});
