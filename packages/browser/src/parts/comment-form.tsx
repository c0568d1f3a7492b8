import { useLayoutEffect, useState } from 'preact/hooks';

interface CommentFormProps {
  /** For screen readers. */
  readonly label: string;
  readonly placeholder: string;
  readonly comment: string;
  readonly onSave: (comment: string) => void;
}

/** Ctrl or Cmd with Enter saves. The field stays where it is, with its focus, when the saved comment comes back. */
export function CommentForm({ label, placeholder, comment, onSave }: CommentFormProps) {
  const [edited, setEdited] = useState<string>();
  const text = edited ?? comment;
  useLayoutEffect(() => {
    if (edited === comment) setEdited(undefined);
  }, [edited, comment]);
  return (
    <form
      class="comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text);
      }}
    >
      <textarea
        aria-label={label}
        rows={Math.min(8, Math.max(1, text.split('\n').length))}
        placeholder={placeholder}
        value={text}
        onInput={(event) => setEdited(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave(text);
        }}
      />
      {text !== comment && (
        <button type="submit" class="primary" title="Ctrl + Enter">
          Save
        </button>
      )}
    </form>
  );
}
