import { keepAlive } from '@seaplane/baggageclaim';
import type { Clock } from '@seaplane/orchestrator';
import { AgentProcess, type AgentServices } from '../agent-process.ts';
import { placesIn } from '../places.ts';
import { dialWeb } from './dial-web.ts';
import type { AgentSettings, MachineKind } from './protocol.ts';
import { serveWeb } from './serve-web.ts';
import { readWorkerKey } from './worker-key.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export interface RemoteWorkerOptions {
  readonly web: URL;
  readonly worker: string;
  readonly keyFile: string;
  readonly directory: string;
  readonly machine: MachineKind;
  readonly clock: Clock;
  /** Called with lines for the operator. */
  readonly report: (line: string) => void;
}

/**
 * Makes this machine the worker of a web, until the signal. A connection that is cut is dialled again. Sandboxes run on
 * meanwhile, and also when this process ends: the next one finds them.
 */
export async function runRemoteWorker(options: RemoteWorkerOptions, signal: AbortSignal): Promise<void> {
  const { web, worker, keyFile, directory, machine, clock, report } = options;
  await readWorkerKey(keyFile); // throws if there is none: nobody needs to wait for that
  const places = placesIn(directory);
  using agents = new Agents((services) => new AgentProcess(places, services, machine), report);
  let said = '';
  const say = (line: string) => {
    if (line !== said) report(line);
    said = line;
  };
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      const connection = await dialWeb({ web, worker, key: await readWorkerKey(keyFile) }, signal);
      say(`connected to ${web.host} as the worker ${worker}`);
      pause = FIRST_PAUSE_MS;
      const session = serveWeb(connection, places.socket, machine, (settings) => agents.of(settings));
      keepAlive(session, clock);
      const leave = () => session.destroy();
      signal.addEventListener('abort', leave, { once: true });
      await new Promise<void>((resolve) => session.once('close', resolve));
      signal.removeEventListener('abort', leave);
      if (!signal.aborted) say(`the connection to ${web.host} was cut; dialling again`);
    } catch (error) {
      if (!signal.aborted) say((error as Error).message);
    }
    await clock.sleep(pause, signal).catch(() => {});
  }
}

/** The agent of the machine. Another one is started when web's keys have changed. */
class Agents implements Disposable {
  readonly #start: (services: AgentServices) => AgentProcess;
  readonly #report: (line: string) => void;
  #current: { readonly settings: string; readonly agent: AgentProcess } | undefined;

  constructor(start: (services: AgentServices) => AgentProcess, report: (line: string) => void) {
    this.#start = start;
    this.#report = report;
  }

  of({ installation, publicKey, authorityKey }: AgentSettings): AgentProcess {
    const settings = JSON.stringify([installation, publicKey, authorityKey]);
    if (this.#current?.settings === settings) return this.#current.agent;
    this.#current?.agent[Symbol.dispose]();
    const onTrouble = (error: Error) => this.#report(error.message);
    const agent = this.#start({ installation, publicKey, authorityKey, onTrouble });
    this.#current = { settings, agent };
    return agent;
  }

  [Symbol.dispose](): void {
    this.#current?.agent[Symbol.dispose]();
  }
}
