import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResourceType } from '../request.ts';
import { isDue } from './due.ts';
import { parseTimeSource } from './time-source.ts';
import { describeTimestamp, formatTimestamp, parseTimestamp, timestampOf } from './timestamp.ts';
import { Zone } from './zone.ts';

/** Versions that come with time. */
export const timeType: ResourceType = {
  async check({ now }, { source, version }) {
    const parsed = parseTimeSource(source);
    const time = now();
    const fresh = { time: formatTimestamp(timestampOf(time), parsed.location) };
    const previous = version?.['time'];
    if (previous === undefined && parsed.initialVersion) return [fresh];
    const due = isDue(parsed, previous === undefined ? undefined : parseTimestamp(previous).ms, time);
    return [...(previous === undefined ? [] : [{ time: previous }]), ...(due ? [fresh] : [])];
  },

  async in({ now }, { source, version }, destination) {
    const { location } = parseTimeSource(source);
    const given = version?.['time'];
    const time = given === undefined ? timestampOf(now()) : parseTimestamp(given);
    await mkdir(destination, { recursive: true });
    await writeFile(join(destination, 'input'), `${JSON.stringify({ source, version })}\n`);
    await writeFile(join(destination, 'timestamp'), describeTimestamp(time, location ?? Zone.of('UTC')));
    await writeFile(join(destination, 'epoch'), String(Math.floor(time.ms / 1000)));
    const shown = location || given === undefined ? formatTimestamp(time, location) : given;
    return { version: { time: shown }, metadata: [] };
  },

  async out({ now }, { source }) {
    const { location } = parseTimeSource(source);
    return { version: { time: formatTimestamp(timestampOf(now()), location) }, metadata: [] };
  },
};
