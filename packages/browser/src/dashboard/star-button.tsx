import { Icon } from '../parts/icons.tsx';

interface StarButtonProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly onToggle: () => void;
}

/** Makes a pipeline, or all instances of a name, a favourite. */
export function StarButton({ name, isOn, onToggle }: StarButtonProps) {
  return (
    <button
      type="button"
      class={isOn ? 'quiet starred' : 'quiet'}
      onClick={onToggle}
      aria-pressed={isOn}
      title={isOn ? 'No longer a favourite' : 'Favourite'}
      aria-label={`Favourite ${name}`}
    >
      <Icon name="star" isFilled={isOn} />
    </button>
  );
}
