import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';
import { STATUSES } from './search.ts';

interface SearchBoxProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** `pipelines`, or `jobs` of one pipeline. */
  readonly of?: 'pipelines' | 'jobs';
  /** Goes to what was found. */
  readonly onEnter?: () => void;
}

/** The search over all pipelines or the jobs of one. `/` enters it, Esc leaves it; that of jobs is empty then. */
export function SearchBox({ search, onSearch, of = 'pipelines', onEnter }: SearchBoxProps) {
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
        placeholder={of === 'jobs' ? 'Search jobs: name, status:' : 'Search: name, team:, status:'}
        aria-label={`Search ${of}`}
        defaultValue={search}
        list="search-terms"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter?.();
          if (event.key !== 'Escape') return;
          event.currentTarget.blur();
          if (of === 'jobs') onSearch('');
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
