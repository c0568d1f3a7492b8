import { useEffect, useRef, useState } from 'preact/hooks';
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
  const current = useRef(logs);
  current.current = logs;

  useEffect(() => {
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
    if (!find || !total) return;
    const next = index === undefined ? (by === 1 ? 0 : total - 1) : (index + by + total) % total;
    setIndex(next);
    onFound({ pattern: find.pattern, hit: find.hitAt(logs, next) });
  };
  const focus = () => input.current?.select();
  useKeys({ '/': focus, n: () => step(1), N: () => step(-1) });
  useEffect(() => takeOverFind(input), []);
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
      <button
        type="button"
        class="quiet"
        aria-pressed={query.isCaseSensitive}
        title="Match case"
        aria-label="Match case"
        onClick={() => toggle('isCaseSensitive')}
      >
        Aa
      </button>
      <button
        type="button"
        class="quiet"
        aria-pressed={query.isPattern}
        title="Regular expression"
        aria-label="Regular expression"
        onClick={() => toggle('isPattern')}
      >
        .*
      </button>
      <button
        type="button"
        class="quiet"
        disabled={!total}
        title="Previous hit (N)"
        aria-label="Previous hit"
        onClick={() => step(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="quiet"
        disabled={!total}
        title="Next hit (n)"
        aria-label="Next hit"
        onClick={() => step(1)}
      >
        <Icon name="down" />
      </button>
    </search>
  );
}

function countText(total: number, index: number | undefined): string {
  const all = total.toLocaleString();
  if (total === 0) return 'no hits';
  return index === undefined ? (total === 1 ? '1 hit' : `${all} hits`) : `${(index + 1).toLocaleString()} of ${all}`;
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
