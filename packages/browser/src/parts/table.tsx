import type { ComponentChildren } from 'preact';

interface TableProps {
  readonly columns: readonly string[];
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** A table with a name for each column. A name that starts with a dot is for screen readers only. */
export function Table({ columns, id, children }: TableProps) {
  return (
    <div class="table-frame">
      <table class="builds" id={id}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name.startsWith('.') ? <span class="for-readers">{name.slice(1)}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
