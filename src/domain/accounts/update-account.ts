import { and, eq } from 'drizzle-orm';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { newId } from '../write-once.ts';
import { type Account, accounts } from './table.ts';

/** Changes settings of the account; absent ones stay. Applies from the next request on. */
export async function updateAccount(
  ctx: AccountContext,
  given: Partial<
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
  // As in a new account, so that an unchanged form leaves no change in the audit log.
  const settings = given.retention && isRetained(given.retention) ? { ...given, retention: null } : given;
  const isTarget = eq(accounts.id, ctx.account.id);
  const target = { type: 'account', id: ctx.account.id, name: settings.name ?? ctx.account.name };
  // A person's address is personal data.
  const changes = columnChanges(accounts, settings, ['replyTo']);
  await ctx.db.batch([
    recordAction(
      ctx,
      { id: newId(ctx, 'change account'), action: 'account.change', target, changes, from: accounts },
      isTarget,
    ),
    ctx.db
      .update(accounts)
      .set({ ...settings, ...retentionDue(settings) })
      .where(isTarget),
  ]);
}

/** With new settings, the cron looks for outdated data immediately. */
function retentionDue({ retention }: Partial<Pick<Account, 'retention'>>): Partial<Pick<Account, 'retentionDueAt'>> {
  if (retention === undefined) return {};
  return { retentionDueAt: isRetained(retention) ? null : Date.now() };
}

/** Returns whether settings keep everything. */
function isRetained(retention: Account['retention']): boolean {
  return Object.values(retention ?? {}).every((days) => days === null);
}

/** Builds the statement that marks the account as having webhooks, for the batch of its first subscription. */
export function noteWebhooks(ctx: AccountContext) {
  return ctx.db
    .update(accounts)
    .set({ hasWebhooks: true })
    .where(and(eq(accounts.id, ctx.account.id), eq(accounts.hasWebhooks, false)));
}
