import type { Certificate } from '../../domain/certificates/table.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { fingerprintOf, makePassFile, readPassFile } from './pass-file-cache.ts';
import { bundlePassFiles } from './pkpass.ts';

/**
 * Returns the pass file, or a 304 without signing if the tag (`If-None-Match`) or, without a tag, the exact time
 * matches (RFC 9110, section 13.2.2). `X-Pass-Signature` marks development signatures. `isForOne`: nobody else will
 * request this version. Throws `not_found` if the template excludes Apple Wallet.
 */
export async function passFileReply(
  shown: PublicPass,
  request: Request,
  { isForOne = false }: { isForOne?: boolean } = {},
): Promise<Response> {
  const { card, certificate } = shown;
  if (!card.walletApps.apple) throw notFound();
  if (!certificate) throw new DomainError('unprocessable', 'No signing certificate is set up for this account');
  const fingerprint = await fingerprintOf(shown, certificate);
  const lastModified = new Date(Math.max(card.modifiedAt, certificate.createdAt)).toUTCString();
  const headers: Record<string, string> = {
    ETag: `"${fingerprint}"`,
    'Last-Modified': lastModified,
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Pass-Signature': certificate.development ? 'development' : 'production',
  };
  if (isKnown(request, fingerprint, lastModified)) return new Response(null, { status: 304, headers });
  // Storing a file costs over a hundred times as much as building it. It pays off once a second device requests it.
  const body = isForOne ? await makePassFile(shown, certificate) : await readPassFile(shown, certificate, fingerprint);
  return new Response(body, {
    headers: {
      ...headers,
      'Content-Type': 'application/vnd.apple.pkpass',
      'Content-Disposition': `attachment; filename="${card.id}.pkpass"`,
    },
  });
}

/**
 * Returns whether the device has this file. It can have a later state than a service that was restored to an earlier
 * time, so only the exact time counts.
 */
function isKnown({ headers }: Request, fingerprint: string, lastModified: string): boolean {
  const tags = headers.get('If-None-Match');
  if (tags !== null) return tags.trim() === '*' || tags.includes(`"${fingerprint}"`);
  return Date.parse(headers.get('If-Modified-Since') ?? '') === Date.parse(lastModified);
}

type Signed = PublicPass & { certificate: Certificate };

/**
 * Returns whether a device can get the pass file: the template supports Apple Wallet, and there is a signing
 * certificate.
 */
export function hasPassFile(shown: PublicPass): shown is Signed {
  return shown.card.walletApps.apple && shown.certificate !== undefined;
}

/**
 * Returns the pass files of several passes in one (`.pkpasses`), which Safari on an iPhone adds in one step. Omits
 * passes without Apple Wallet; throws `not_found` if none is left. Builds the files one after another, so that memory
 * holds the assets of only one pass.
 */
export async function bundleFileReply(passes: PublicPass[]): Promise<Response> {
  const signed = passes.filter(hasPassFile);
  if (signed.length === 0) throw notFound();
  const files: Uint8Array[] = [];
  for (const shown of signed) {
    files.push(await readPassFile(shown, shown.certificate));
  }
  return new Response(bundlePassFiles(files), {
    headers: {
      'Content-Type': 'application/vnd.apple.pkpasses',
      'Content-Disposition': 'attachment; filename="passes.pkpasses"',
      'Cache-Control': 'private, no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Pass-Signature': signed.some(({ certificate }) => certificate.development) ? 'development' : 'production',
    },
  });
}
