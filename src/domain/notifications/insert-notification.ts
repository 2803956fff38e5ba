import { type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { type Notification, notifications } from './table.ts';

type Content = Pick<Notification, 'publicationAt' | 'text' | 'version'> & { templateId: string | SQL; id?: string };

/** Builds the statement that schedules a notification if `condition` holds when it runs. */
export function insertNotification(ctx: AccountContext, { templateId, ...content }: Content, condition: SQL) {
  const now = Date.now();
  const row = {
    id: uuidv7(shardOf(ctx.account.id), now),
    ...content,
    accountId: ctx.account.id,
    templateId: '',
    state: 'scheduled',
    dueAt: content.publicationAt,
    createdAt: now,
  } as const;
  const values = rowValues(notifications, row, { templateId: sql`${templateId}` });
  return ctx.db.insert(notifications).select(sql`select ${values} where ${condition}`);
}
