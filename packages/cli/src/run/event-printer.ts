import { stripVTControlCharacters } from 'node:util';
import type { Json, PublicPlan } from '@seaplane/config';
import type { BuildEvent, BuildStatus } from '@seaplane/engine';
import { OUTPUT_PREFIX } from './plan-run.ts';

export interface PrinterOptions {
  readonly write: (text: string) => void;
  /** Whether there is a terminal. Elsewhere colours are left out, the steps' own, too. */
  readonly colors: boolean;
}

const KINDS = ['get', 'put', 'check', 'task', 'run', 'load_var'] as const;
const BOLD = '1';
const RED = '31';
const STATUS_COLORS: Readonly<Record<BuildStatus, string>> = {
  pending: '0',
  started: '0',
  succeeded: '32',
  failed: RED,
  errored: '33',
  aborted: '35',
};
/** A control sequence whose end has not come yet. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with one
const UNFINISHED = /\x1b(?:\[[0-9;?]*)?$/;

/**
 * Prints the events of a build as they come. Above the output of a step is its name, again whenever the output of another step
 * came between.
 */
export class EventPrinter {
  readonly #options: PrinterOptions;
  readonly #titles = new Map<string, string>();
  #step: string | undefined;
  #lineEnded = true;
  #held = '';

  constructor(plan: PublicPlan, options: PrinterOptions) {
    this.#options = options;
    this.#learn(plan, '');
  }

  print({ event, data }: BuildEvent): void {
    switch (event) {
      case 'log':
        this.#begin(data.origin.id);
        this.#output(data.payload);
        return;
      case 'error':
        if (data.origin.id.startsWith(OUTPUT_PREFIX)) return; // the command itself says which output was not made
        this.#begin(data.origin.id);
        this.#line(data.message, RED);
        return;
      case 'initialize-task':
      case 'initialize-put':
      case 'initialize-get':
        this.#begin(data.origin.id);
        return;
      case 'finish-task':
        if (data.exit_status === 0) return;
        this.#begin(data.origin.id);
        this.#line(`exit status ${data.exit_status}`, RED);
        return;
      case 'finish-get':
      case 'finish-put':
        this.#begin(data.origin.id);
        for (const [name, value] of Object.entries(data.version ?? {})) this.#line(`${name}: ${value}`);
        return;
      case 'image-check':
      case 'image-get':
        this.#learn(data.plan, '');
        return;
      case 'across-substeps':
        for (const { step, values } of data.substeps) this.#learn(step, ` (${values.map(show).join(', ')})`);
        return;
      case 'status':
        if (data.status === 'started') return;
        this.#endLine();
        this.#line(data.status, STATUS_COLORS[data.status]);
        return;
      default:
        return;
    }
  }

  /** Learns the names of the steps in a plan. */
  #learn(plan: unknown, suffix: string): void {
    if (Array.isArray(plan)) for (const inner of plan) this.#learn(inner, suffix);
    if (typeof plan !== 'object' || plan === null || Array.isArray(plan)) return;
    const fields = plan as Record<string, unknown>;
    for (const kind of KINDS) {
      const step = fields[kind] as { readonly name?: string; readonly message?: string } | undefined;
      if (step && typeof fields['id'] === 'string') {
        this.#titles.set(fields['id'], `${kind} ${step.name ?? step.message ?? ''}${suffix}`);
      }
    }
    for (const inner of Object.values(fields)) this.#learn(inner, suffix);
  }

  #begin(step: string): void {
    if (this.#step === step) return;
    this.#endLine();
    this.#step = step;
    this.#line(this.#titles.get(step) ?? step, BOLD);
  }

  #output(payload: string): void {
    if (payload === '') return;
    const text = payload.replaceAll('\r\n', '\n');
    this.#lineEnded = text.endsWith('\n');
    this.#options.write(this.#options.colors ? text : this.#strip(text));
  }

  #strip(text: string): string {
    const all = this.#held + text;
    this.#held = UNFINISHED.exec(all)?.[0] ?? '';
    return stripVTControlCharacters(all.slice(0, all.length - this.#held.length));
  }

  #endLine(): void {
    if (!this.#lineEnded) this.#options.write('\n');
    this.#lineEnded = true;
    this.#held = '';
  }

  #line(text: string, color?: string): void {
    this.#endLine();
    this.#options.write(this.#options.colors && color ? `\x1b[${color}m${text}\x1b[0m\n` : `${text}\n`);
  }
}

function show(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
