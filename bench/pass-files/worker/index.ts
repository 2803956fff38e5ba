import type { Context } from '../../../src/domain/context.ts';
import { getAsset } from '../../../src/domain/images/find-image.ts';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import type { Env } from '../../../src/platform/env.ts';
import { readAirports } from '../../../src/wallets/apple/airports.ts';
import type { PassSigning } from '../../../src/wallets/apple/pass-json.ts';
import { buildPassFile } from '../../../src/wallets/apple/pkpass.ts';
import { loadSigner, type Signer } from '../../../src/wallets/apple/signature.ts';

/*
 * Builds pass files inside workerd. Its clock stands still meanwhile, so the caller measures. `GET
 * /?card=full&key=rsa&count=20` returns the bytes of that many passes, `GET /file?card=full&key=rsa` one pass, and `GET
 * /sign?key=rsa&count=20` only makes that many signatures.
 */

interface BuilderEnv extends Env {
  /** `Card`s by name, as JSON. */
  CARDS: string;
  /** `PassSigning` and a certificate's PEM texts, by kind of key, as JSON. */
  SIGNING: string;
}

type Signing = PassSigning & { signer: Signer };

/** Passes used in turn, so that caches keep nothing between builds of the same one. */
const PASSES = 50;
const cards = new Map<string, Card[]>();
const signings = new Map<string, Signing>();

/** The length of the attributes that a pass file signs. */
const SIGNED_BYTES = new Uint8Array(107).fill(7);

export default {
  async fetch(request: Request, env: BuilderEnv, execution: ExecutionContext): Promise<Response> {
    // The parts of a context that loading an asset needs.
    const ctx = { env, waitUntil: (work: Promise<unknown>) => execution.waitUntil(work) } as unknown as Context;
    const { pathname, searchParams } = new URL(request.url);
    const signing = await signingOf(searchParams.get('key') ?? '', env);
    const count = Number(searchParams.get('count'));
    if (pathname === '/sign') return new Response(String(await sign(signing.signer, count)));
    const passes = cardsOf(searchParams.get('card') ?? '', env);
    const build = (card: Card) => buildPassFile(card, signing, (variant) => getAsset(ctx, variant));
    if (pathname === '/file') return new Response(await build(passes[0]!));
    let bytes = 0;
    for (let i = count; i > 0; i--) bytes += (await build(passes[i % PASSES]!)).length;
    return new Response(String(bytes));
  },
};

/** Returns passes of one template. They share only images and translations, like passes that the service reads. */
function cardsOf(name: string, env: BuilderEnv): Card[] {
  const known = cards.get(name);
  if (known) return known;
  const text = JSON.stringify(JSON.parse(env.CARDS)[name]);
  const { images, translations, localizedBackgrounds } = JSON.parse(text) as Card;
  const passes = Array.from({ length: PASSES }, (_, i): Card => {
    const own = JSON.parse(text) as Card;
    return { ...own, id: `pass-${i}`, images, translations, localizedBackgrounds };
  });
  cards.set(name, passes);
  return passes;
}

/** The upper limit for pass files: bare signatures in sequence. */
async function sign({ key, algorithm }: Signer, count: number): Promise<number> {
  let bytes = 0;
  for (let i = count; i > 0; i--) {
    bytes += (await crypto.subtle.sign(algorithm.signParams, key, SIGNED_BYTES)).byteLength;
  }
  return bytes;
}

async function signingOf(name: string, env: BuilderEnv): Promise<Signing> {
  const known = signings.get(name);
  if (known) return known;
  const { certificatePem, intermediatePem, privateKeyPem, ...rest } = JSON.parse(env.SIGNING)[name];
  const signer = await loadSigner({ certificatePem, intermediatePem, privateKeyPem });
  const signing: Signing = { ...rest, signer, readAirports: () => readAirports(env) };
  signings.set(name, signing);
  return signing;
}
