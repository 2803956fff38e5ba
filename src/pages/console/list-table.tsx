import type { Child } from 'hono/jsx';

/** The head of a column: its title alone, or with how the column is set. */
export type ColumnHead = string | { title: string; isNumber: true };

interface ListTableProps {
  columns: ColumnHead[];
  /** Whether a last column holds what can be done with each row. */
  hasActions?: boolean;
  /** The rows, each begun by a `th`; other cells name their column in `data-label`, which narrow screens show. */
  children: Child;
}

/** A list of things of one kind with what is known of each. */
export function ListTable({ columns, hasActions, children }: ListTableProps) {
  const heads = columns.map((head) => (typeof head === 'string' ? { title: head, isNumber: false } : head));
  return (
    <table class="list">
      <thead>
        <tr>
          {heads.map(({ title, isNumber }) => (
            <th scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
          {hasActions && (
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
