import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';
import { yieldToPage } from '../parts/yield-to-page.ts';
import { type FindQuery, type FoundLog, type Hit, LogFind, patternOf } from './log/find.ts';

/** Logs are looked through for so long at once. */
const SLICE_MS = 8;

/** A search in all logs, and the hit that the user is at. */
export interface Found {
  readonly pattern: RegExp;
  readonly hit: Hit | undefined;
}

interface FindBarProps {
  readonly logs: readonly FoundLog[];
  /** Grows when a log has changed. */
  readonly revision: number;
  readonly onFound: (found: Found | undefined) => void;
}

/** Finds a text in all logs of the build: how often it is there, and where. */
export function FindBar({ logs, revision, onFound }: FindBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState<FindQuery>({ text: '', isPattern: false, isCaseSensitive: false });
  const [find, setFind] = useState<LogFind>();
  const [problem, setProblem] = useState<string>();
  const [total, setTotal] = useState<number>();
  /** The number of the hit that the user is at; undefined before the first step to one. */
  const [index, setIndex] = useState<number>();
  /** A step to a hit that somebody asked for before the hits were counted. */
  const wanted = useRef<1 | -1>(undefined);
  const current = useRef(logs);
  current.current = logs;

  useLayoutEffect(() => {
    wanted.current = undefined;
    setIndex(undefined);
    setTotal(undefined);
    setProblem(undefined);
    try {
      const pattern = patternOf(query);
      setFind(pattern && new LogFind(pattern));
      onFound(pattern && { pattern, hit: undefined });
    } catch {
      setFind(undefined);
      onFound(undefined);
      setProblem('not a regular expression');
    }
  }, [query]);
  useEffect(() => {
    if (!find) return;
    let isOver = false;
    void scanAll(
      find,
      () => current.current,
      () => isOver,
    ).then(() => {
      if (!isOver) setTotal(find.total);
    });
    return () => {
      isOver = true;
    };
  }, [find, revision]);

  const step = (by: 1 | -1) => {
    if (!find) return;
    wanted.current = total === undefined ? by : undefined;
    if (!total) return;
    const next = index === undefined ? (by === 1 ? 0 : total - 1) : (index + by + total) % total;
    setIndex(next);
    onFound({ pattern: find.pattern, hit: find.hitAt(logs, next) });
  };
  useEffect(() => {
    if (total !== undefined && wanted.current !== undefined) step(wanted.current);
  }, [total]);
  const focus = () => input.current?.select();
  useKeys({ '/': focus, n: () => step(1), N: () => step(-1) });
  useLayoutEffect(() => takeOverFind(input), []);
  const toggle = (name: 'isPattern' | 'isCaseSensitive') => setQuery({ ...query, [name]: !query[name] });
  return (
    <search class="find-bar">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Find in all logs"
        placeholder="Find in all logs"
        value={query.text}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setQuery({ ...query, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <span class="find-count number" role="status">
        {problem ?? (find && (total === undefined ? '...' : countText(total, index)))}
      </span>
      <FindButton label="Match case" isOn={query.isCaseSensitive} onClick={() => toggle('isCaseSensitive')}>
        Aa
      </FindButton>
      <FindButton label="Regular expression" isOn={query.isPattern} onClick={() => toggle('isPattern')}>
        .*
      </FindButton>
      <FindButton label="Previous hit" keyName="N" isOff={!total} onClick={() => step(-1)}>
        <Icon name="up" />
      </FindButton>
      <FindButton label="Next hit" keyName="n" isOff={!total} onClick={() => step(1)}>
        <Icon name="down" />
      </FindButton>
    </search>
  );
}

interface FindButtonProps {
  readonly label: string;
  /** The key that does the same. */
  readonly keyName?: string;
  readonly isOn?: boolean;
  readonly isOff?: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

function FindButton({ label, keyName, isOn, isOff, onClick, children }: FindButtonProps) {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      title={keyName === undefined ? label : `${label} (${keyName})`}
      aria-pressed={isOn}
      disabled={isOff}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

function countText(total: number, index: number | undefined): string {
  if (total === 0) return 'no hits';
  if (index !== undefined) return `${(index + 1).toLocaleString()} of ${total.toLocaleString()}`;
  return total === 1 ? '1 hit' : `${total.toLocaleString()} hits`;
}

async function scanAll(find: LogFind, logs: () => readonly FoundLog[], isOver: () => boolean): Promise<void> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    if (find.scan(logs(), () => performance.now() > until) || isOver()) return;
    await yieldToPage();
  }
}

/** Ctrl+F finds in all logs, which the browser cannot: most lines are not in the page. A second Ctrl+F is the browser's. */
function takeOverFind(input: { readonly current: HTMLInputElement | null }): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isFind = event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!isFind || document.activeElement === input.current) return;
    event.preventDefault();
    input.current?.select();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
