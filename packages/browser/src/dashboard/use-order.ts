import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface OrderOptions {
  /** The order that the lists have. */
  readonly known: readonly string[];
  /** Another object whenever the lists were read again. */
  readonly lists: unknown;
  readonly save: (keys: readonly string[]) => Promise<void>;
  readonly onSaved: (keys: readonly string[], moved: string) => void;
  readonly onProblem: (message: string) => void;
  /** Called after each change, so that the lists are read again. */
  readonly onChange: () => void;
}

interface Order {
  /** The order to show. */
  readonly keys: readonly string[];
  readonly change: (keys: readonly string[], moved: string) => void;
}

/**
 * An order that the user changes. It is shown at once, and stays until it is saved and the lists were read after that:
 * lists that were asked for before have the old order. Changes are saved one after another.
 */
export function useOrder(options: OrderOptions): Order {
  const [wanted, setWanted] = useState<readonly string[]>();
  const current = useRef(options);
  current.current = options;
  const unsaved = useRef(0);
  const saving = useRef<Promise<void>>(Promise.resolve());
  /** The lists as they were when the last change was saved. */
  const savedOver = useRef<unknown>(undefined);
  useLayoutEffect(() => {
    if (wanted && unsaved.current === 0 && savedOver.current !== options.lists) setWanted(undefined);
  }, [wanted, options.lists]);

  async function saveNext(keys: readonly string[], moved: string): Promise<void> {
    try {
      await current.current.save(keys);
      current.current.onSaved(keys, moved);
    } catch (error) {
      setWanted(undefined);
      current.current.onProblem((error as Error).message);
    }
    unsaved.current -= 1;
    savedOver.current = current.current.lists;
    current.current.onChange();
  }

  return {
    keys: wanted ?? options.known,
    change: (keys, moved) => {
      unsaved.current += 1;
      setWanted(keys);
      saving.current = saving.current.then(() => saveNext(keys, moved));
    },
  };
}
