import { claimWarnings, type EndingCertificate, settleWarning } from '../certificates/warnings.ts';
import type { Context } from '../context.ts';
import { link, safeText } from '../messages/system-mail.ts';
import { mailOwners, type OwnerMail } from '../users/mail-owners.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Cron task. A later run repeats an interrupted mail: it may arrive twice but is never lost. */
export async function warnCertificateOwners(ctx: Context, now = Date.now()): Promise<void> {
  for (const certificate of await claimWarnings(ctx, now)) {
    if (certificate.isReplaced || (await mailOwners(ctx, mailOf(ctx, certificate, now)))) {
      await settleWarning(ctx, certificate, now);
    }
  }
}

function mailOf(ctx: Context, { id, accountId, passTypeId, validTo }: EndingCertificate, now: number): OwnerMail {
  const days = Math.max(0, Math.ceil((validTo - now) / DAY_MS));
  const day = new Date(validTo).toISOString().slice(0, 10);
  const when = days === 0 ? 'has expired' : days === 1 ? 'expires within a day' : `expires in ${days} days`;
  const page = `${ctx.baseUrl}/console/accounts/${accountId}/certificates/${id}`;
  const lines = [
    safeText`The certificate of the pass type ${passTypeId} ${when}, on ${day}. After that, new passes of this type can’t be added, and passes on devices get no updates.`,
    safeText`The console leads you through the renewal, without a Mac: ${link(page)}`,
    safeText`Passes on devices stay. They get the new signature by themselves.`,
  ];
  const failure = { event: 'certificate-owner-not-notified', account: accountId, certificate: id };
  return { accountId, subject: safeText`Renew your pass certificate: it ${when}`, lines, failure };
}
