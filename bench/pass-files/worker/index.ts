import type { Context } from '../../../src/domain/context.ts';
import { getAsset } from '../../../src/domain/images/find-image.ts';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import type { Env } from '../../../src/platform/env.ts';
import type { PassSigning } from '../../../src/wallets/apple/pass-json.ts';
import { buildPassFile } from '../../../src/wallets/apple/pkpass.ts';
import { loadSigner, type Signer } from '../../../src/wallets/apple/signature.ts';

/*
 * Builds pass files inside workerd. Its clock stands still while it works, so whoever asks measures: `GET /?count=20`
 * answers with the bytes of that many passes, `GET /file` with one of them.
 */

interface BuilderEnv extends Env {
  /** A `Card` as JSON. */
  CARD: string;
  /** `PassSigning` and the PEM texts of a certificate, as JSON. */
  SIGNING: string;
}

let card: Card | undefined;
let signing: (PassSigning & { signer: Signer }) | undefined;

export default {
  async fetch(request: Request, env: BuilderEnv, execution: ExecutionContext): Promise<Response> {
    card ??= JSON.parse(env.CARD) as Card;
    signing ??= await readSigning(env.SIGNING);
    // As much of a context as loading an asset takes.
    const ctx = { env, waitUntil: (work: Promise<unknown>) => execution.waitUntil(work) } as unknown as Context;
    const { pathname, searchParams } = new URL(request.url);
    const build = (serial: string) =>
      buildPassFile({ ...card!, id: serial }, signing!, (variant) => getAsset(ctx, variant));
    if (pathname === '/file') return new Response(await build('sample'));
    let bytes = 0;
    for (let i = Number(searchParams.get('count')); i > 0; i--) bytes += (await build(`pass-${i}`)).length;
    return new Response(String(bytes));
  },
};

async function readSigning(text: string) {
  const { certificatePem, intermediatePem, privateKeyPem, ...rest } = JSON.parse(text);
  const signer = await loadSigner({ certificatePem, intermediatePem, privateKeyPem });
  // The card is no flight.
  return { ...rest, signer, readAirports: async () => '' };
}
