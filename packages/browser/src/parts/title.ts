import { useEffect } from 'preact/hooks';

/** Sets the title of the tab. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? 'Seaplane' : `${title} - Seaplane`;
  }, [title]);
}
