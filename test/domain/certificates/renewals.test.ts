import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warnCertificateOwners } from '../../../src/domain/certificate-mails/warn-certificate-owners.ts';
import { preferCertificate } from '../../../src/domain/certificates/manage-certificates.ts';
import { claimRenewals } from '../../../src/domain/certificates/renewals.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import type { Job } from '../../../src/domain/jobs.ts';
import { refreshRenewed } from '../../../src/domain/pushes/refresh-wallets.ts';
import { templates } from '../../../src/domain/templates/table.ts';
import { inviteUser } from '../../../src/domain/users/invite-user.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { heldCrowd } from '../pushes/held-crowd.ts';
import { type Issuer, importCertificate, newIssuer, newPassCertificate, subjectOf } from './pass-certificates.ts';

const DAY_MS = 24 * 60 * 60_000;
const TYPE = 'pass.com.example.renewed';

let database: LocalDatabase;
let issuer: Issuer;
beforeAll(async () => {
  [database, issuer] = await Promise.all([openMemoryDatabase(), newIssuer('CN=Example WWDR')]);
});
afterAll(() => database.close());

async function imported(ctx: AccountContext, validDays: number, passTypeId = TYPE) {
  const files = await newPassCertificate(issuer, { subject: subjectOf(passTypeId), validDays });
  return importCertificate(ctx, ctx.account.id, { ...files, intermediatePem: issuer.pem });
}

describe('the owners of a certificate', () => {
  test('get a mail 30 and 7 days before it expires, and none once it is renewed', async () => {
    const account = await database.accountContext();
    const email = `owner@${account.account.id}.example.com`;
    await inviteUser(account, { email, privileges: ['owner'] });
    const ctx = {
      ...account,
      env: { ...account.env, ADMIN_TOKEN: 'local', FILES: { put: async () => null } as never },
    };
    const [first, second] = [await imported(account, 100), await imported(account, 90, 'pass.com.example.kept')];
    const mails = async (daysBefore: number) => {
      // Twice: nobody gets a second mail.
      for (let i = 0; i < 2; i++) await warnCertificateOwners(ctx, first.validTo - daysBefore * DAY_MS);
      const { results } = await database.d1
        .prepare('select subject, text from outbox_items where recipient = ? order by key')
        .bind(email)
        .all<{ subject: string; text: string }>();
      return results;
    };
    const subjects = async (daysBefore: number) => (await mails(daysBefore)).map(({ subject }) => subject);
    const renew = (days: number) => `Renew your pass certificate: it expires in ${days} days`;
    expect(await subjects(41)).toEqual([]);
    expect(await subjects(39.99)).toEqual([renew(30)]);
    expect(await subjects(29.99)).toEqual([renew(30), renew(30)]);
    const [, { text }] = (await mails(29)) as [unknown, { text: string }];
    expect(text).toContain(`/console/accounts/${account.account.id}/certificates/${first.certificateId}`);
    await imported(account, 400, 'pass.com.example.kept');
    expect(second.validTo).toBeLessThan(first.validTo);
    expect(await subjects(10)).toHaveLength(2);
    expect(await subjects(6.99)).toEqual([renew(30), renew(30), renew(7)]);
    expect(await subjects(-1)).toHaveLength(3);
  });
});

describe('a renewed certificate', () => {
  test('makes devices fetch the passes that it signs, and no others', async () => {
    const jobs: Job[] = [];
    const ctx = withJobs(await database.accountContext(), (some) => jobs.push(...some));
    const held = await heldCrowd(ctx, 3, 2);
    await heldCrowd(await database.accountContext(), 2, 0);
    await database.look.update(templates).set({ passCount: 5 }).where(eq(templates.id, held));
    const begun = async () => {
      await refreshRenewed(ctx);
      return jobs.splice(0);
    };
    await imported(ctx, 100);
    expect(await begun()).toEqual([]);
    await imported(ctx, 300);
    expect(await begun()).toEqual([expect.objectContaining({ type: 'walk-push-fan-out', accountId: ctx.account.id })]);
    expect(await begun()).toEqual([]);
    // Another type doesn't become the default because it is valid longer, so this one still signs the passes.
    const other = await imported(ctx, 600, 'pass.com.example.other');
    await imported(ctx, 400);
    expect(await begun()).toHaveLength(1);
    // Once the owner chooses the other type, this one signs nothing.
    await preferCertificate(ctx, other.certificateId);
    await imported(ctx, 500);
    expect(await begun()).toEqual([]);
  });

  test('repeats that if a run crashes midway', async () => {
    const jobs: Job[] = [];
    const ctx = withJobs(await database.accountContext(), (some) => jobs.push(...some));
    const held = await heldCrowd(ctx, 1, 0);
    await database.look.update(templates).set({ passCount: 1 }).where(eq(templates.id, held));
    await imported(ctx, 100);
    await imported(ctx, 200);
    const now = Date.now();
    await claimRenewals(ctx, now);
    await refreshRenewed(ctx, now + 60_000);
    expect(jobs).toEqual([]);
    await refreshRenewed(ctx, now + 11 * 60_000);
    expect(jobs).toHaveLength(1);
  });
});
