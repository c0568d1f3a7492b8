import { basename } from 'node:path';
import type { Spec } from '../suite/spec.ts';
import { cleanReason, condenseMessage } from './reason.ts';
import type { SpecResult } from './results.ts';

/** The part of Ginkgo's JSON report that is read here. */
export interface GinkgoReport {
  readonly SuiteDescription: string;
  readonly SpecialSuiteFailureReasons: readonly string[] | null;
  readonly RunTime: number;
  readonly SpecReports: readonly GinkgoSpecReport[] | null;
}

export interface GinkgoSpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly LeafNodeLocation: GinkgoLocation;
  readonly State: string;
  /** Nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: GinkgoFailure;
  /** The output of the spec, with that of every `fly` it ran. */
  readonly CapturedGinkgoWriterOutput?: string;
}

interface GinkgoFailure {
  readonly Message: string;
  readonly Location: GinkgoLocation;
  readonly ForwardedPanic?: string;
  /** How many bytes the spec had written when it failed. */
  readonly TimelineLocation?: { readonly Offset?: number };
}

interface GinkgoLocation {
  readonly FileName: string;
  readonly LineNumber: number;
}

const NANOSECONDS = 1e9;
/** The very last one is often no more than `errored`. */
const LAST_LINES = 2;

/** Ginkgo writes an array with one report a suite; ours has one suite. */
export function parseGinkgoReport(json: string): GinkgoReport {
  const [report, ...others] = JSON.parse(json) as GinkgoReport[];
  if (!report || others.length > 0) throw new Error('the Ginkgo report does not hold exactly one suite');
  return report;
}

/** The suite's specs as a report (of a dry run) names them, without names of their own yet. */
export function specsOf(report: GinkgoReport): Omit<Spec, 'name'>[] {
  return (report.SpecReports ?? []).filter(isSpec).map(identityOf);
}

/**
 * Returns the result of each spec in `selected`, in that order. Every one of them gets a result: one that the report does not
 * have, or that never ran because the suite's set-up failed, has failed. `interruption` says why specs in the report
 * were interrupted: Ginkgo knows only that they were.
 */
export function resultsOf(report: GinkgoReport, selected: readonly Spec[], interruption?: string): SpecResult[] {
  const reports = new Map((report.SpecReports ?? []).filter(isSpec).map((spec) => [keyOf(identityOf(spec)), spec]));
  const whyNotRun = reasonNotRun(report, interruption);
  return selected.map((spec) => {
    const found = reports.get(keyOf(spec));
    if (!found || wasPassedOver(found)) return { name: spec.name, state: 'fail', seconds: 0, reason: whyNotRun };
    const seconds = Math.round(found.RunTime / NANOSECONDS);
    if (found.State === 'passed') return { name: spec.name, state: 'pass', seconds, reason: null };
    const state = found.State === 'skipped' || found.State === 'pending' ? 'skipped' : 'fail';
    return { name: spec.name, state, seconds, reason: reasonOf(found, interruption) };
  });
}

function isSpec({ LeafNodeType }: GinkgoSpecReport): boolean {
  return LeafNodeType === 'It';
}

/** Skipped without a word: out of focus, or cut off. A spec that skips itself says why. */
function wasPassedOver({ State, Failure }: GinkgoSpecReport): boolean {
  return State === 'skipped' && !Failure?.Message;
}

function identityOf(spec: GinkgoSpecReport): Omit<Spec, 'name'> {
  return {
    text: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
    file: basename(spec.LeafNodeLocation.FileName),
    line: spec.LeafNodeLocation.LineNumber,
  };
}

function keyOf({ file, line, text }: Omit<Spec, 'name'>): string {
  return `${file}:${line} ${text}`;
}

function reasonNotRun(report: GinkgoReport, interruption?: string): string {
  const setUp = report.SpecReports?.find((spec) => !isSpec(spec) && spec.Failure?.Message);
  if (setUp) return cleanReason(`the suite's set-up failed: ${reasonOf(setUp)}`);
  const special = interruption ? `the suite was ${interruption}` : report.SpecialSuiteFailureReasons?.join(', ');
  return cleanReason(`it was not run${special ? `: ${special}` : ''}`);
}

function reasonOf(spec: GinkgoSpecReport, interruption?: string): string {
  const { State, Failure } = spec;
  const message = Failure?.ForwardedPanic || Failure?.Message;
  if (!Failure || !message) return State;
  if (State === 'skipped') return cleanReason(message);
  const how = State === 'failed' ? '' : `${State}: `;
  const where = `${basename(Failure.Location.FileName)}:${Failure.Location.LineNumber}`;
  const said = lastOutput(spec);
  const what = State === 'interrupted' && interruption ? interruption : `${how}${condenseMessage(message)}`;
  return `${cleanReason(what)} (${where})${said ? `; last output: ${said}` : ''}`;
}

/** The last lines that were printed before the failure: what comes after it is cleaning up. */
function lastOutput({ CapturedGinkgoWriterOutput = '', Failure }: GinkgoSpecReport): string {
  const offset = Failure?.TimelineLocation?.Offset;
  const before = Buffer.from(CapturedGinkgoWriterOutput).subarray(0, offset).toString();
  const lines = before
    .split(/[\r\n]+/)
    .map(cleanReason)
    .filter(Boolean);
  return [...new Set(lines.slice(-LAST_LINES))].join(' / ');
}
