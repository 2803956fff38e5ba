import { DomainError, notFound } from '../../domain/errors.ts';
import type { PublicPass } from '../../domain/passes/find-page.ts';
import { readPassFile } from './pass-file-cache.ts';

/**
 * The HTTP reply with a pass file. Answers 304 without signing when the caller already has what the pass shows (`If-Modified-Since`). Passes that the
 * local development authority signed say so in `X-Pass-Signature`. Throws not found when the template leaves Apple Wallet out.
 */
export async function passFileReply(shown: PublicPass, request: Request): Promise<Response> {
  const { card, certificate } = shown;
  if (!card.walletApps.apple) throw notFound();
  if (!certificate) throw new DomainError('unprocessable', 'No signing certificate is set up for this account');
  const lastModified = new Date(card.modifiedAt).toUTCString();
  const headers: Record<string, string> = {
    'Last-Modified': lastModified,
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Pass-Signature': certificate.development ? 'development' : 'production',
  };
  const since = Date.parse(request.headers.get('If-Modified-Since') ?? '');
  if (since >= Date.parse(lastModified)) return new Response(null, { status: 304, headers });
  const { body, fingerprint } = await readPassFile(shown, certificate);
  return new Response(body, {
    headers: {
      ...headers,
      ETag: `"${fingerprint}"`,
      'Content-Type': 'application/vnd.apple.pkpass',
      'Content-Disposition': `attachment; filename="${card.id}.pkpass"`,
    },
  });
}
