import { useSession } from '../session/session.ts';
import type { LiveState } from './live.ts';

const WORDS: Readonly<Record<LiveState, string>> = { waiting: 'connecting', live: 'live', cut: 'reconnecting' };
const TITLES: Readonly<Record<LiveState, string>> = {
  waiting: 'The page connects to the server.',
  live: 'The page changes when something happens.',
  cut: 'The connection to the server is lost. The page asks every five seconds, and connects again by itself.',
};

/** Whether the page follows what happens. */
export function LiveMark() {
  const state = useSession().live.state.value;
  return (
    <span class={`live live-${state}`} title={TITLES[state]}>
      <span class="live-dot" aria-hidden="true" />
      <span class="live-word">{WORDS[state]}</span>
    </span>
  );
}
