import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { type Notification, notifications } from './table.ts';

type Content = Pick<Notification, 'publicationAt' | 'text' | 'version'> & { templateId: string | SQL; id?: string };

/** Builds the statement that schedules a notification if `condition` holds when it runs. */
export function insertNotification(ctx: AccountContext, content: Content, condition: SQL) {
  const now = Date.now();
  const row: Omit<Notification, 'templateId'> & Pick<Content, 'templateId'> = {
    ...content,
    id: content.id ?? uuidv7(shardOf(ctx.account.id), now),
    accountId: ctx.account.id,
    state: 'scheduled',
    dueAt: content.publicationAt,
    createdAt: now,
    executedAt: null,
    takenOverAt: null,
  };
  const columns = Object.keys(getTableColumns(notifications)) as (keyof Notification)[];
  const values = sql.join(
    columns.map((name) => sql`${row[name]}`),
    sql`, `,
  );
  return ctx.db.insert(notifications).select(sql`select ${values} where ${condition}`);
}
