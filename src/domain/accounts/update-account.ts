import { and, eq } from 'drizzle-orm';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { newId } from '../write-once.ts';
import { type Account, accounts } from './table.ts';

/** Changes settings of the account; what is absent stays. Counts from the next request. */
export async function updateAccount(
  ctx: AccountContext,
  settings: Partial<
    Pick<
      Account,
      | 'name'
      | 'timezone'
      | 'language'
      | 'logoUrl'
      | 'iconUrl'
      | 'replyTo'
      | 'userProvidedLinks'
      | 'requirePasskey'
      | 'retention'
    >
  >,
): Promise<void> {
  const isIt = eq(accounts.id, ctx.account.id);
  const target = { type: 'account', id: ctx.account.id, name: settings.name ?? ctx.account.name };
  // An address of somebody is personal.
  const changes = columnChanges(accounts, settings, ['replyTo']);
  await ctx.db.batch([
    recordAction(
      ctx,
      { id: newId(ctx, 'change account'), action: 'account.change', target, changes, from: accounts },
      isIt,
    ),
    ctx.db
      .update(accounts)
      .set({ ...settings, ...retentionDue(settings) })
      .where(isIt),
  ]);
}

/** The cron looks at once for what new settings make too old. */
function retentionDue({ retention }: Partial<Pick<Account, 'retention'>>): Partial<Pick<Account, 'retentionDueAt'>> {
  if (retention === undefined) return {};
  return { retentionDueAt: isRetained(retention) ? null : Date.now() };
}

/** Whether settings keep everything. */
function isRetained(retention: Account['retention']): boolean {
  return Object.values(retention ?? {}).every((days) => days === null);
}

/** The statement that notes that the account subscribes to events, for the batch that does so. */
export function noteWebhooks(ctx: AccountContext) {
  return ctx.db
    .update(accounts)
    .set({ hasWebhooks: true })
    .where(and(eq(accounts.id, ctx.account.id), eq(accounts.hasWebhooks, false)));
}
