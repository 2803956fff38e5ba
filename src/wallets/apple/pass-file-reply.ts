import type { Certificate } from '../../domain/certificates/table.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { fingerprintOf, makePassFile, readPassFile } from './pass-file-cache.ts';
import { bundlePassFiles } from './pkpass.ts';

/**
 * The HTTP reply with a pass file. Answers 304 without signing if the tag (`If-None-Match`) matches or, without a tag,
 * the very same time (RFC 9110, section 13.2.2). `X-Pass-Signature` marks files that the development authority signed.
 * `isForOne`: nobody else will ask for this version. Throws not found when the template leaves Apple Wallet out.
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
  // To keep a file costs more than a hundred times as much as to build one; it pays once a second device asks for it.
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
 * A device may hold a later state than the service, which was restored to an earlier time. So a time is known only if
 * it is the one that the reply has; a later one says nothing.
 */
function isKnown({ headers }: Request, fingerprint: string, lastModified: string): boolean {
  const tags = headers.get('If-None-Match');
  if (tags !== null) return tags.trim() === '*' || tags.includes(`"${fingerprint}"`);
  return Date.parse(headers.get('If-Modified-Since') ?? '') === Date.parse(lastModified);
}

type Signed = PublicPass & { certificate: Certificate };

/** Whether a device can get the pass file: the template is for Apple Wallet, and somebody is set up to sign it. */
export function hasPassFile(shown: PublicPass): shown is Signed {
  return shown.card.walletApps.apple && shown.certificate !== undefined;
}

/**
 * The HTTP reply with the pass files of several passes in one (`.pkpasses`), which Safari on an iPhone adds in one
 * step. Passes that are not for Apple Wallet are left out; throws not found when none is left. The files are built one
 * after another, so that memory holds the assets of one pass at a time.
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
