import {
  GoogleIssuerFiles,
  type ImportedGoogleIssuer,
  importGoogleIssuer,
  newIssuerRowId,
} from '../../domain/certificates/import-google-issuer.ts';
import { checked } from '../../domain/check.ts';
import type { Context } from '../../domain/context.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { machineNow } from '../../platform/clock.ts';
import { callGoogle, endpointsOf } from './call-google.ts';
import { shortened } from './reply.ts';
import { accessToken, loadGoogleSigner } from './signer.ts';

/**
 * Stores a Google Wallet issuer after Google accepted the service account's key and its access to the issuer's classes:
 * otherwise anyone could add another company's issuer. Skips this for a development issuer. Throws `invalid` if Google
 * refuses the key or access, and `conflict` if Google can't be reached.
 */
export async function addGoogleIssuer(
  ctx: Context,
  accountId: string | null,
  input: GoogleIssuerFiles,
): Promise<ImportedGoogleIssuer> {
  const files = checked(GoogleIssuerFiles, input);
  const id = newIssuerRowId(ctx, accountId);
  if (!files.development) await proveKey(ctx, id, files);
  return importGoogleIssuer(ctx, accountId, files, id);
}

/** Checks the key. Google's token is cached for the first call with the row that will be stored. */
async function proveKey(ctx: Context, id: string, files: ReturnType<typeof GoogleIssuerFiles.parse>): Promise<void> {
  const { clientEmail, privateKeyPem, issuerId, standInUrl } = files;
  const endpoints = endpointsOf(ctx.env, { standInUrl });
  const facts = { id, issuerId, clientEmail, development: false, endpoints };
  const signer = await loadGoogleSigner({ ...facts, privateKeyPem }).catch(() => {
    throw invalidField(
      'privateKeyPem',
      'must be an RSA private key in PEM, as the JSON key file of the service account has it',
    );
  });
  const reply = await accessToken(signer, callGoogle, machineNow()).catch((error: unknown) => {
    throw new DomainError(
      'conflict',
      `Google could not be asked about the key; try again (${shortened(String(error))})`,
    );
  });
  if ('token' in reply) return proveAccess(`${endpoints.apiUrl}/genericClass`, reply.token, files);
  const detail = shortened(await reply.refused.text());
  if (isTemporary(reply.refused)) {
    throw new DomainError('conflict', `Google could not check the key now; try again (${detail})`);
  }
  throw invalidField('privateKeyPem', `Google does not accept this key for ${clientEmail} (${detail})`);
}

const isTemporary = ({ status }: Response) => status >= 500 || status === 429;

/**
 * Checks access: an account that can list an issuer's classes can also create them (Google Wallet API,
 * `genericclass.list`).
 */
async function proveAccess(
  url: string,
  token: string,
  { issuerId, clientEmail }: Pick<GoogleIssuerFiles, 'issuerId' | 'clientEmail'>,
): Promise<void> {
  const call = { url: `${url}?issuerId=${issuerId}&maxResults=1`, headers: { Authorization: `Bearer ${token}` } };
  const reply = await callGoogle(call).catch((error: unknown) => {
    throw new DomainError(
      'conflict',
      `Google could not be asked about the issuer; try again (${shortened(String(error))})`,
    );
  });
  if (reply.ok) return;
  const detail = shortened(await reply.text());
  if (isTemporary(reply)) {
    throw new DomainError('conflict', `Google could not check the issuer now; try again (${detail})`);
  }
  throw invalidField(
    'issuerId',
    `${clientEmail} has no access to the issuer ${issuerId}: in the Google Wallet console, under Users, invite this address as a developer, and enable the Google Wallet API for its project (${detail})`,
  );
}
