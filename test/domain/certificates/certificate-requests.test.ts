import { execFileSync } from 'node:child_process';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  completeRequest,
  getCertificateRequest,
  requestCertificate,
  withdrawRequest,
} from '../../../src/domain/certificates/certificate-requests.ts';
import { listOwnKeys } from '../../../src/domain/certificates/manage-certificates.ts';
import { purgeRequests } from '../../../src/domain/certificates/purge-requests.ts';
import { certificateRequests } from '../../../src/domain/certificates/table.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { type Issuer, locally, newIssuer, newPassCertificate, subjectOf } from './pass-certificates.ts';

const DAY_MS = 24 * 60 * 60_000;
const TYPE = 'pass.com.example.requested';

let database: LocalDatabase;
let issuer: Issuer;
beforeAll(async () => {
  [database, issuer] = await Promise.all([openMemoryDatabase(), newIssuer('CN=Example WWDR')]);
});
afterAll(() => database.close());

const newAccount = async () => locally(await database.accountContext());

/** Returns the certificate that Apple issues for a request. */
async function issued(requestPem: string, passTypeId = TYPE, validDays = 365) {
  const { certificatePem } = await newPassCertificate(issuer, {
    subject: subjectOf(passTypeId),
    requestPem,
    validDays,
  });
  return { certificate: new TextEncoder().encode(certificatePem), intermediate: new TextEncoder().encode(issuer.pem) };
}

async function requested(ctx: AccountContext, renewed: string | null = null) {
  const id = await requestCertificate(ctx, renewed);
  return getCertificateRequest(ctx, id);
}

const refusal = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);

describe('a signing request', () => {
  test('is verified by openssl, with a key of 2,048 bits', async () => {
    const { requestPem } = await requested(await newAccount());
    const options = ['req', '-verify', '-noout', '-text'];
    const said = execFileSync('openssl', options, {
      input: requestPem,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    expect(said).toMatch(/Public-Key: \(2048 bit\)/);
    expect(said).toMatch(/sha256WithRSAEncryption/);
  });

  test('stores its key encrypted', async () => {
    const { id } = await requested(await newAccount());
    const row = await database.d1.prepare('select * from certificate_requests where id = ?').bind(id).first();
    expect(JSON.stringify(row)).not.toContain('PRIVATE KEY');
  });

  test('becomes a certificate with the file from Apple, and ends', async () => {
    const ctx = await newAccount();
    const { id, requestPem } = await requested(ctx);
    const files = await issued(requestPem);
    expect(await completeRequest(ctx, id, files)).toMatchObject({ passTypeId: TYPE, development: false });
    expect(await listOwnKeys(ctx)).toMatchObject({ certificates: [{ passTypeId: TYPE }], requests: [] });
    expect(await refusal(completeRequest(ctx, id, files))).toMatch(/not found/i);
  });

  test('accepts no certificate of another request, and a renewal none of another pass type', async () => {
    const ctx = await newAccount();
    const [first, second] = [await requested(ctx), await requested(ctx)];
    const files = await issued(first.requestPem);
    expect(await refusal(completeRequest(ctx, second.id, files))).toMatch(/another signing request/);
    const { certificateId } = await completeRequest(ctx, first.id, files);
    const renewal = await requested(ctx, certificateId);
    expect(renewal.passTypeId).toBe(TYPE);
    const wrong = await issued(renewal.requestPem, 'pass.com.example.other');
    expect(await refusal(completeRequest(ctx, renewal.id, wrong))).toMatch(/is for pass.com.example.other/);
    await completeRequest(ctx, renewal.id, await issued(renewal.requestPem, TYPE, 400));
    expect((await listOwnKeys(ctx)).certificates).toHaveLength(2);
  });

  test('is pending with at most four others, even if 50 start at once', async () => {
    const ctx = await newAccount();
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => requestCertificate(ctx, null)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect((await listOwnKeys(ctx)).requests).toHaveLength(5);
    expect(await refusal(requestCertificate(ctx, null))).toMatch(/5 open signing requests/);
  });

  test('is unknown to other accounts', async () => {
    const { id, requestPem } = await requested(await newAccount());
    const other = await newAccount();
    const files = await issued(requestPem);
    const attempts = [getCertificateRequest, withdrawRequest, (ctx: AccountContext) => completeRequest(ctx, id, files)];
    for (const attempt of attempts) expect(await refusal(attempt(other, id))).toMatch(/not found/i);
  });

  test('is deleted by its owner, or after 90 days', async () => {
    const ctx = await newAccount();
    const [old, young] = [await requested(ctx), await requested(ctx)];
    const now = Date.now();
    await ctx.db
      .update(certificateRequests)
      .set({ createdAt: now - 91 * DAY_MS })
      .where(and(eq(certificateRequests.id, old.id), eq(certificateRequests.accountId, ctx.account.id)));
    await purgeRequests(ctx, now);
    expect((await listOwnKeys(ctx)).requests.map(({ id }) => id)).toEqual([young.id]);
    await withdrawRequest(ctx, young.id);
    expect((await listOwnKeys(ctx)).requests).toEqual([]);
  });
});
