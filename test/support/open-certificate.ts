import { googleIssuerQuery, openGoogleIssuer } from '../../src/domain/certificates/find-google-issuer.ts';
import {
  openSigningCertificate,
  signingCertificateQuery,
} from '../../src/domain/certificates/find-signing-certificate.ts';
import type { Context } from '../../src/domain/context.ts';

/** Returns an account's signing certificate with its private key. */
export async function getSigningCertificate(ctx: Context, accountId: string, passTypeId?: string) {
  return openSigningCertificate(ctx, await signingCertificateQuery(ctx.db, accountId), passTypeId);
}

/** Returns an account's Google issuer with its private key. */
export async function getGoogleIssuer(ctx: Context, accountId: string) {
  return openGoogleIssuer(ctx, await googleIssuerQuery(ctx.db, accountId));
}
