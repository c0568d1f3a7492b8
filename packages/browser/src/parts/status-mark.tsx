import type { JSX } from 'preact';

export type Mark =
  | 'succeeded'
  | 'failed'
  | 'errored'
  | 'aborted'
  | 'started'
  | 'pending'
  | 'paused'
  | 'archived'
  | 'none'
  | 'skipped';

const WORDS: Readonly<Record<Mark, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  errored: 'errored',
  aborted: 'aborted',
  started: 'running',
  pending: 'pending',
  paused: 'paused',
  archived: 'archived',
  none: 'never ran',
  skipped: 'did not run',
};

export function wordFor(mark: Mark): string {
  return WORDS[mark];
}

/** A status as a shape: colour alone tells nothing to many people. Its word is for screen readers. */
export function StatusMark({ mark, size = 16, label }: { mark: Mark; size?: number; label?: string }) {
  return (
    <svg
      class={`mark mark-${mark}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      role="img"
      aria-label={label ?? WORDS[mark]}
    >
      {SHAPES[mark]}
    </svg>
  );
}

const SHAPES: Readonly<Record<Mark, JSX.Element>> = {
  succeeded: (
    <>
      <circle cx="8" cy="8" r="7" class="fill" />
      <path d="M4.8 8.2l2.2 2.2 4.2-4.6" class="cut" />
    </>
  ),
  failed: (
    <>
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" class="fill" />
      <path d="M5.5 5.5l5 5m0-5l-5 5" class="cut" />
    </>
  ),
  errored: (
    <>
      <path d="M8 1.2c.5 0 .9.2 1.1.6l6 11c.5.9-.1 2-1.1 2H2c-1 0-1.6-1.1-1.1-2l6-11c.2-.4.6-.6 1.1-.6z" class="fill" />
      <path d="M8 5.600v4m0 2.300v.1" class="cut" />
    </>
  ),
  aborted: (
    <>
      <circle cx="8" cy="8" r="6" class="line" />
      <path d="M4 12l8-8" class="line" />
    </>
  ),
  started: (
    <>
      <circle cx="8" cy="8" r="6" class="line faint" />
      <path d="M8 2a6 6 0 0 1 6 6" class="line turning" />
    </>
  ),
  pending: <circle cx="8" cy="8" r="6" class="line dashed" />,
  paused: (
    <>
      <rect x="1.5" y="1.5" width="13" height="13" rx="2.5" class="fill" />
      <path d="M6 5v6m4-6v6" class="cut" />
    </>
  ),
  archived: (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.5" class="line" />
      <path d="M2 6.500h12M6.5 9h3" class="line" />
    </>
  ),
  none: <circle cx="8" cy="8" r="2.5" class="fill" />,
  skipped: <path d="M4 8h8" class="line" />,
};
