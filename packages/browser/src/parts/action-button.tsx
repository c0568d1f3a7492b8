import type { ComponentChildren, TargetedFocusEvent, TargetedKeyboardEvent } from 'preact';

interface ActionButtonProps {
  readonly label: string;
  /** Tells apart buttons with one label. */
  readonly about?: string;
  /** Why the user may not do this now. The button stays reachable, so that everybody can read the reason. */
  readonly reason?: string | undefined;
  readonly title?: string | undefined;
  readonly class?: string;
  readonly id?: string;
  readonly role?: 'switch';
  readonly isOn?: boolean;
  readonly onClick: () => void;
  readonly onKeyDown?: (event: TargetedKeyboardEvent<HTMLButtonElement>) => void;
  readonly onBlur?: (event: TargetedFocusEvent<HTMLButtonElement>) => void;
  readonly style?: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
}

/** A button that says why it cannot be used. `label` is for screen readers. */
export function ActionButton({
  label,
  about,
  reason,
  title,
  role,
  isOn,
  onClick,
  children,
  ...rest
}: ActionButtonProps) {
  const isOff = reason !== undefined;
  return (
    <button
      type="button"
      aria-label={label}
      title={reason ?? title}
      aria-description={[about, reason].filter(Boolean).join('. ') || undefined}
      aria-disabled={isOff ? 'true' : undefined}
      {...(role ? { role, 'aria-checked': isOn } : { 'aria-pressed': isOn })}
      onClick={isOff ? undefined : onClick}
      {...rest}
    >
      {children}
    </button>
  );
}
