import { useEffect, useRef, useState } from 'preact/hooks';
import type { Client } from '../api/client.ts';
import { Icon } from '../parts/icons.tsx';
import { useSession } from '../session/session.ts';
import { chooseSandbox } from './choose-sandbox.ts';
import type { Screen } from './screen.ts';
import { ShellConnection, type ShellEnd } from './shell-connection.ts';

/** The step to enter. */
export interface EnteredStep {
  readonly team: string;
  readonly buildId: number;
  readonly plan: string;
  readonly type: string;
  readonly name: string;
}

type State = { readonly is: 'opening' | 'open' } | { readonly is: 'ended'; readonly why: string };

/** A shell in the sandbox of a step, at the lower edge of the page. */
export function TerminalPanel({ step, onClose }: { step: EnteredStep; onClose: () => void }) {
  const [isLarge, setLarge] = useState(false);
  const { place, closeButton, state, openAgain } = useShell(step);
  const of = `${step.type} ${step.name}`;
  // Keys go on where they were before.
  useEffect(() => {
    const before = document.activeElement;
    return () => void (before instanceof HTMLElement && before.focus());
  }, []);
  return (
    <section class={isLarge ? 'terminal-panel large' : 'terminal-panel'} aria-label={`Terminal in ${of}`}>
      <header>
        <h2>Terminal in {of}</h2>
        <p role="status">{state.is === 'ended' ? state.why : HINTS[state.is]}</p>
        {state.is === 'ended' && (
          <button type="button" onClick={openAgain}>
            <Icon name="again" /> Open again
          </button>
        )}
        <button type="button" class="quiet" aria-pressed={isLarge} onClick={() => setLarge(!isLarge)}>
          <Icon name={isLarge ? 'down' : 'up'} /> Large
        </button>
        <button type="button" class="quiet" ref={closeButton} onClick={onClose}>
          Close
        </button>
      </header>
      <div class="terminal-place" ref={place} />
    </section>
  );
}

const HINTS = { opening: 'Opening …', open: 'F6 leaves the terminal' } as const;

/** Opens a shell in the place, and another one when somebody asks for it after the end. */
function useShell(step: EnteredStep) {
  const { client } = useSession();
  const place = useRef<HTMLDivElement>(null);
  const closeButton = useRef<HTMLButtonElement>(null);
  const screen = useRef<Screen>(undefined);
  const [state, setState] = useState<State>({ is: 'opening' });
  const [round, setRound] = useState(0);
  useEffect(() => () => screen.current?.close(), []);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let shell: ShellConnection | undefined;
    const end = (why: string) => signal.aborted || setState({ is: 'ended', why });
    const onEnd = (how: ShellEnd) => {
      if (how.kind !== 'refused') return end(wordsFor(how));
      findSandbox(client, step, signal).then(
        () => end('The server did not open a terminal.'),
        (error: Error) => end(error.message),
      );
    };
    const open = async () => {
      const [found, { Screen: Made }] = await Promise.all([findSandbox(client, step, signal), import('./screen.ts')]);
      if (signal.aborted || !place.current) return;
      screen.current?.close();
      const shown = new Made(place.current, {
        onInput: (bytes) => shell?.send(bytes),
        onResize: (size) => shell?.resize(size),
        onLeave: () => closeButton.current?.focus(),
      });
      screen.current = shown;
      shown.focus();
      shell = new ShellConnection(addressOf(step.team, found.id), found, shown.size, {
        onOutput: (bytes) => {
          setState((was) => (was.is === 'opening' ? { is: 'open' } : was));
          shown.write(bytes);
        },
        onEnd,
      });
    };
    setState({ is: 'opening' });
    open().catch((error: Error) => end(error.message));
    return () => {
      leaving.abort();
      shell?.close();
    };
  }, [step, round]);
  return { place, closeButton, state, openAgain: () => setRound(round + 1) };
}

async function findSandbox(client: Client, { team, buildId, plan, type, name }: EnteredStep, signal: AbortSignal) {
  const query = new URLSearchParams({ build_id: String(buildId), type, step_name: name }).toString();
  const sandboxes = await client.get('GET /api/v1/teams/:team/containers', { at: { team }, query }, signal);
  const found = chooseSandbox(sandboxes, plan);
  if (!found) throw new Error('The sandbox of this step is gone.');
  return found;
}

function addressOf(team: string, handle: string): string {
  const path = `/api/v1/teams/${encodeURIComponent(team)}/containers/${encodeURIComponent(handle)}/hijack`;
  return new URL(path, location.href.replace(/^http/, 'ws')).href;
}

function wordsFor(end: Exclude<ShellEnd, { kind: 'refused' }>): string {
  switch (end.kind) {
    case 'exited':
      return `The shell has ended with exit status ${end.status}.`;
    case 'failed':
      return `The shell has ended: ${end.reason}`;
    case 'cut':
      return 'The connection to the shell is lost. Its programs were ended.';
  }
}
