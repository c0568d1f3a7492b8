import { useLayoutEffect, useRef } from 'preact/hooks';

export type Keys = Readonly<Record<string, () => unknown>>;
const SEQUENCE_MS = 1_500;

/** Calls the function of a pressed key, or of two keys in a row such as `gg`. Not while somebody types a text. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  // Before the page is painted: a key that somebody presses at the sight of the page is heard.
  useLayoutEffect(() => {
    let before = { key: '', at: 0 };
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isSoon = event.timeStamp - before.at < SEQUENCE_MS;
      const action = current.current[isSoon ? before.key + event.key : ''] ?? current.current[event.key];
      before = { key: event.key, at: event.timeStamp };
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
