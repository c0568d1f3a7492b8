import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';
import { STATUSES } from './search.ts';

interface SearchBoxProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

/** The search over all pipelines. `/` enters it, Esc leaves it. */
export function SearchBox({ search, onSearch }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => input.current?.focus() });
  useEffect(() => {
    if (input.current && input.current !== document.activeElement) input.current.value = search;
  }, [search]);
  return (
    <search class="search-box">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        id="search-input-field"
        placeholder="Search: name, team:, status:"
        aria-label="Search pipelines"
        defaultValue={search}
        list="search-terms"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <datalist id="search-terms">
        {STATUSES.map((status) => (
          <option key={status} value={`status:${status}`} />
        ))}
      </datalist>
      <kbd>/</kbd>
    </search>
  );
}
