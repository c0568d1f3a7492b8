import { assertNever } from '../assert-never.ts';
import { type DiffLine, diffLines } from '../text/diff-lines.ts';
import type { Json, JsonObject } from '../values.ts';
import { formatYaml } from '../yaml/format-yaml.ts';

/** The sections whose items have names, in the order in which changes are shown: title, and word for an item. */
const SECTIONS = {
  groups: ['groups:', 'group'],
  var_sources: ['variable source:', 'variable source'],
  resources: ['resources:', 'resource'],
  resource_types: ['resource types:', 'resource type'],
  prototypes: ['prototypes:', 'prototype'],
  jobs: ['jobs:', 'job'],
} as const;
const SINGLE = { display: 'display configuration', user_data: 'user data' } as const;

const [YELLOW, GREEN, RED, RESET] = ['\u001b[0;33m', '\u001b[0;32m', '\u001b[0;31m', '\u001b[0m'];

/**
 * Describes how a pipeline's JSON changes, for people: for each part, a title and a diff of its YAML, in colours as
 * Concourse shows it. Empty if nothing changes. Only of groups the order matters.
 */
export function describeChanges(before: JsonObject, after: JsonObject): string {
  const lines: string[] = [];
  for (const [section, [title, word]] of Object.entries(SECTIONS)) {
    const changes = changesOf(before[section], after[section], section === 'groups');
    if (changes.length === 0) continue;
    lines.push(title, ...changes.flatMap(({ name, was, is }) => describeChange(`${word} ${name}`, was, is)));
  }
  for (const [section, title] of Object.entries(SINGLE)) {
    const [was, is] = [before[section], after[section]];
    if (textOf(was) !== textOf(is)) lines.push(...describeChange(title, was, is));
  }
  return lines.join('\n');
}

interface Change {
  readonly name: string;
  readonly was?: Json | undefined;
  readonly is?: Json | undefined;
}

function changesOf(before: Json | undefined, after: Json | undefined, ordered: boolean): Change[] {
  const [old, now] = [byName(before), byName(after)];
  const places = new Map([...now.keys()].map((name, index) => [name, index]));
  const kept = [...old].flatMap(([name, was], index): Change[] => {
    const is = now.get(name);
    const moved = ordered && is !== undefined && places.get(name) !== index;
    return moved || textOf(was) !== textOf(is) ? [{ name, was, is }] : [];
  });
  return [...kept, ...[...now].flatMap(([name, is]) => (old.has(name) ? [] : [{ name, is }]))];
}

function byName(section: Json | undefined): Map<string, Json> {
  const items = (section ?? []) as readonly { readonly name?: string }[];
  return new Map(items.map((item) => [item.name ?? '', item as Json]));
}

function textOf(value: Json | undefined): string {
  return value === undefined ? '' : formatYaml(value);
}

function describeChange(what: string, was: Json | undefined, is: Json | undefined): string[] {
  const change = was === undefined ? 'has been added' : is === undefined ? 'has been removed' : 'has changed';
  const diff = diffLines(textOf(was).split('\n'), textOf(is).split('\n'));
  return [`  ${YELLOW}${what} ${change}:${RESET}`, ...diff.map(showLine)];
}

function showLine({ kind, text }: DiffLine): string {
  switch (kind) {
    case 'same':
      return text === '' ? '' : `  ${text}`;
    case 'removed':
      return `${RED}-${RESET} ${RED}${text}${RESET}`;
    case 'added':
      return `${GREEN}+${RESET} ${GREEN}${text}${RESET}`;
    default:
      return assertNever(kind);
  }
}
