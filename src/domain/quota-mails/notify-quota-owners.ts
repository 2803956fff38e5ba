import type { Context } from '../context.ts';
import { link, ownWords, safeText } from '../messages/system-mail.ts';
import { claimNotices, settleNotice } from '../quotas/claim-notices.ts';
import type { AccountQuota } from '../quotas/table.ts';
import { NOTICE_PERCENT, QUOTA_NAMES } from '../quotas/use.ts';
import { mailOwners, type OwnerMail } from '../users/mail-owners.ts';

/** What happens beyond a quota. */
const CONSEQUENCES: Record<AccountQuota['quota'], string> = {
  passes: 'New passes are rejected until you delete some.',
  activePasses: 'Devices can’t register for more passes. They keep the pass and try again later.',
  messages: 'More e-mails and text messages fail until the end of the day in the time zone of the account.',
  requests: 'More requests get a 429 until the end of the minute.',
  subCustomers: 'New sub-customers are rejected.',
};

/** Cron task. A later run repeats an interrupted notification: it may arrive twice but is never lost. */
export async function notifyQuotaOwners(ctx: Context, now = Date.now()): Promise<void> {
  for (const quota of await claimNotices(ctx, now)) {
    if (await mailOwners(ctx, mailOf(ctx, quota))) await settleNotice(ctx, quota);
  }
}

function mailOf(ctx: Context, { accountId, quota, max, notifiedPercent }: AccountQuota): OwnerMail {
  const name = QUOTA_NAMES[quota];
  const isFull = notifiedPercent >= NOTICE_PERCENT.full;
  const lines = [
    isFull
      ? safeText`Your account has used its quota of ${max ?? 0} ${name}. ${ownWords(CONSEQUENCES[quota])}`
      : safeText`Your account has used ${notifiedPercent}% of its quota of ${max ?? 0} ${name}.`,
    safeText`Usage includes sub-customers. See all quotas in the console: ${link(`${ctx.baseUrl}/console/accounts/${accountId}/settings`)}`,
    safeText`The operator of the service can raise a quota.`,
  ];
  const subject = isFull ? safeText`Quota used up: ${name}` : safeText`${notifiedPercent}% of a quota used: ${name}`;
  return { accountId, subject, lines, failure: { event: 'quota-owner-not-notified', account: accountId, quota } };
}
