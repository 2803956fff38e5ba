import type { Certificate } from '../../domain/certificates/table.ts';
import { notFound } from '../../domain/errors.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { readPassFile } from './pass-file-cache.ts';
import { bundlePassFiles } from './pkpass.ts';

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
