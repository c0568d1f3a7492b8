import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';
import { useSession } from '../session/session.ts';
import { STATUSES } from './search.ts';
import { suggestTerms, type TermValues, termsOf } from './suggest-terms.ts';

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
  const { values, learn } = useTerms(of);
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
        onFocus={learn}
        onInput={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter?.();
          if (event.key !== 'Escape') return;
          event.currentTarget.blur();
          if (of === 'jobs') onSearch('');
        }}
      />
      <datalist id="search-terms">
        {suggestTerms(search, values).map((term) => (
          <option key={term} value={term} />
        ))}
      </datalist>
      <kbd>/</kbd>
    </search>
  );
}

/** The terms to suggest. Teams and groups are asked for when somebody begins to search. */
function useTerms(of: 'pipelines' | 'jobs'): { readonly values: TermValues; readonly learn: () => void } {
  const { client } = useSession();
  const [values, setValues] = useState<TermValues>({ status: STATUSES });
  const learn = () => {
    if (of !== 'pipelines') return;
    // Without an answer the suggestions stay as they are; the page itself says that the server does not answer.
    client.get('GET /api/v1/pipelines', { at: {} }).then(
      (pipelines) => setValues(termsOf(pipelines)),
      () => {},
    );
  };
  return { values, learn };
}
