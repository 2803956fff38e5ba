import type { Child } from 'hono/jsx';
import { Pager } from './parts.tsx';

/** A column: its title, the content of a cell, and whether it holds numbers. */
export type Column<Row> = [title: string, cell: (row: Row, place: number) => Child, look?: 'number'];

interface TableProps<Row> {
  rows: Row[];
  /** The first column names the row. Narrow screens show the titles beside the cells. */
  columns: (Column<Row> | false)[];
  /** Actions of a row; false without permission for them. */
  actions?: ((row: Row, place: number) => Child) | false;
  /** Identifier of a row, for scripts. */
  idOf?: (row: Row) => string;
  /** Whether rows of six cells get two lines on screens that are too narrow for six columns. */
  hasTwoLines?: boolean;
}

/** A table of items of one kind. */
export function Table<Row>({ rows, columns, actions, idOf, hasTwoLines = false }: TableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  const [[, nameOf], ...others] = shown as [Column<Row>, ...Column<Row>[]];
  return (
    <table class={hasTwoLines ? 'list two-lines' : 'list'}>
      <thead>
        <tr>
          {shown.map(([title, , look]) => (
            <th scope="col" class={look}>
              {title}
            </th>
          ))}
          {actions && (
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr data-id={idOf?.(row)}>
            <th scope="row">{nameOf(row, place)}</th>
            {others.map(([title, cell, look]) => (
              <td class={look} data-label={title}>
                {cell(row, place)}
              </td>
            ))}
            {actions && <td class="row-actions">{actions(row, place)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A page of a list. */
export interface Listed<Row> {
  rows: Row[];
  /** Where the next page starts; undefined on the last one. */
  next?: string;
  isFirst: boolean;
}

interface ListPanelProps<Row> extends Listed<Row>, TableProps<Row> {
  /** Address of the first page. */
  base: string;
  /** Parameter of the address that says where a page starts. */
  from?: 'before' | 'after';
  /** Shown in place of a table without rows. */
  empty: Child;
}

/** A list in a panel, with links to its other pages. */
export function ListPanel<Row>({ base, from = 'before', next, isFirst, empty, ...table }: ListPanelProps<Row>) {
  const isEmpty = table.rows.length === 0 && empty;
  return (
    <>
      {isEmpty ? (
        empty
      ) : (
        <section class="panel">
          <Table {...table} />
        </section>
      )}
      <Pager older={next && `${base}?${from}=${encodeURIComponent(next)}`} newer={isFirst ? undefined : base} />
    </>
  );
}
