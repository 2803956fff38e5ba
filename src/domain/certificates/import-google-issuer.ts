import { and, eq, sql } from 'drizzle-orm';
import * as z from 'zod';
import { shardOf } from '../../platform/ids.ts';
import { encrypt } from '../../platform/sealed-text.ts';
import { trimEnd } from '../../platform/text.ts';
import { ofOwner, recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { Context } from '../context.ts';
import { invalidField } from '../errors.ts';
import { newIdIn, writeOnce } from '../write-once.ts';
import { shareServiceKeys } from './copy-service-keys.ts';
import { isStrongRsa, readPrivateKey, toPkcs8 } from './signing-material.ts';
import { googleIssuers } from './table.ts';

export const GoogleIssuerFiles = z.object({
  issuerId: z
    .string()
    .regex(/^\d{10,25}$/, 'must be the issuer ID from the Google Wallet console, such as 3388000000012345678'),
  /** `client_email` of the service account's key file. */
  clientEmail: z.email('must be the service account’s e-mail address, such as passes@project.iam.gserviceaccount.com'),
  /** `private_key` of the service account's key file. */
  privateKeyPem: z.string().min(1, 'must not be empty'),
  /** Created locally: Google doesn't know it. */
  development: z.boolean().default(false),
  /** Origin of a stand-in that a local service calls instead of Google. */
  standInUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .transform((url) => trimEnd(url, '/'))
    .nullable()
    .default(null),
});
export type GoogleIssuerFiles = z.input<typeof GoogleIssuerFiles>;

export interface ImportedGoogleIssuer {
  googleIssuerId: string;
  issuerId: string;
  clientEmail: string;
  development: boolean;
}

/**
 * Stores the Google Wallet issuer of an account, or with `accountId` null the service's own. The newest one is used, so
 * a rotated key is imported the same way. Throws `invalid` if the key isn't an RSA private key or the issuer ID is
 * malformed.
 */
export async function importGoogleIssuer(
  ctx: Context,
  accountId: string | null,
  input: GoogleIssuerFiles,
  id = newIssuerRowId(ctx, accountId),
): Promise<ImportedGoogleIssuer> {
  const { privateKeyPem, ...facts } = checked(GoogleIssuerFiles, input);
  const key = readPrivateKey('privateKeyPem', privateKeyPem);
  if (!isStrongRsa(key)) throw invalidField('privateKeyPem', 'must be an RSA key of 2048 to 4096 bits');
  const privateKeySealed = await encrypt(ctx.env, id, toPkcs8(key));
  const row = { id, accountId, ...facts, privateKeySealed, createdAt: Date.now() };
  const action = {
    action: 'google_issuer.import',
    target: { type: 'google_issuer', id, name: facts.issuerId },
  } as const;
  const isStored = and(eq(googleIssuers.id, id), sql`${googleIssuers.accountId} is ${accountId}`);
  const find = async () => (await ctx.db.select({ id: googleIssuers.id }).from(googleIssuers).where(isStored))[0];
  await writeOnce(ctx, find, async () => {
    await ctx.db.batch([
      ctx.db.insert(googleIssuers).values(row),
      // The service's own issuer doesn't appear in an account's log.
      ...(accountId === null ? [] : [recordAction(ofOwner(ctx, accountId), action)]),
    ]);
    return { id };
  });
  if (accountId === null) await shareServiceKeys(ctx);
  const { issuerId, clientEmail, development } = facts;
  return { googleIssuerId: id, issuerId, clientEmail, development };
}

/** Returns the identifier of the row that a request or command stores. */
export function newIssuerRowId(ctx: Context, accountId: string | null): string {
  return newIdIn(ctx, accountId ? shardOf(accountId) : 0, 'google-issuer');
}
