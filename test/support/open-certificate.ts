import { chooseGoogleIssuer, googleIssuerQuery } from '../../src/domain/certificates/find-google-issuer.ts';
import { chooseCertificate, signingCertificateQuery } from '../../src/domain/certificates/find-signing-certificate.ts';
import { openPrivateKey } from '../../src/domain/certificates/private-keys.ts';
import type { Context } from '../../src/domain/context.ts';

/** Returns an account's signing certificate with its private key. */
export async function getSigningCertificate(ctx: Context, accountId: string, passTypeId?: string) {
  const certificate = chooseCertificate(await signingCertificateQuery(ctx.db, accountId), passTypeId);
  if (!certificate) throw new Error('No signing certificate is set up');
  return { certificate, privateKeyPem: await openPrivateKey(ctx.env, certificate) };
}

/** Returns an account's Google issuer with its private key. */
export async function getGoogleIssuer(ctx: Context, accountId: string) {
  const issuer = chooseGoogleIssuer(await googleIssuerQuery(ctx.db, accountId));
  if (!issuer) throw new Error('No Google Wallet issuer is set up');
  return { issuer, privateKeyPem: await openPrivateKey(ctx.env, issuer) };
}
