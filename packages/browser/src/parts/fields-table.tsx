import type { MetadataField } from '@seaplane/config/values';
import { LinkedText } from './linked-text.tsx';

/** Names and values. */
export function FieldsTable({ fields }: { fields: readonly MetadataField[] }) {
  return (
    <table class="metadata">
      <tbody>
        {fields.map(({ name, value }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <LinkedText text={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
