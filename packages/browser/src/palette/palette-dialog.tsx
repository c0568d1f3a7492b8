import { useEffect, useRef, useState } from 'preact/hooks';
import { useModal } from '../parts/use-modal.ts';
import type { Navigation } from '../routes/navigation.ts';
import { useSession } from '../session/session.ts';
import { findItems, itemsOf, type PaletteItem } from './palette.ts';

/** Goes anywhere by a few letters. Its lists are asked for when it opens. */
export function PaletteDialog({ navigation, onClose }: { navigation: Navigation; onClose: () => void }) {
  const { client } = useSession();
  const dialog = useModal();
  const list = useRef<HTMLDivElement>(null);
  const [items, setItems] = useState<readonly PaletteItem[]>(() => itemsOf([], []));
  const [isLoading, setIsLoading] = useState(true);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    void Promise.all([
      client.get('GET /api/v1/pipelines', { at: {} }, left.signal),
      client.get('GET /api/v1/jobs', { at: {} }, left.signal),
    ])
      .then(
        ([pipelines, jobs]) => setItems(itemsOf(pipelines, jobs)),
        () => {}, // pages can be reached all the same
      )
      .then(() => setIsLoading(false));
    return () => left.abort();
  }, []);
  const found = findItems(items, query);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const go = ({ href }: PaletteItem) => {
    onClose();
    navigation.open(href);
  };
  const onKey = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = found[chosen];
    if (move !== undefined) setAt((chosen + move + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter' && item) go(item);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" onClose={onClose} aria-label="Go to">
      <input
        type="text"
        role="combobox"
        aria-expanded={true}
        aria-controls="palette-items"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="Go to a pipeline, a job, a build or a page"
        placeholder="Go to a pipeline, a job, a build or a page"
        spellcheck={false}
        autocomplete="off"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div ref={list} id="palette-items" class="palette-items" role="listbox" tabIndex={-1} aria-label="Places">
        {found.map((item, i) => (
          <a
            key={item.href}
            id={`palette-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen}
            href={item.href}
            onClick={onClose}
          >
            <span>{item.text}</span> <span class="soft">{item.detail}</span>
            <span class="tag">{item.kind}</span>
          </a>
        ))}
      </div>
      {found.length === 0 && (
        <p class="step-note">{isLoading ? 'Loading ...' : 'Nothing has these letters in this order.'}</p>
      )}
    </dialog>
  );
}
