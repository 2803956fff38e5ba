import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Card } from '../../src/domain/passes/card/card.ts';
import { buildPassFile } from '../../src/wallets/apple/pkpass.ts';
import { loadSigner } from '../../src/wallets/apple/signature.ts';
import { type Build, serveBuilder } from './serve-builder.ts';

/* The product's own builder in Node, with the images in memory. */
await serveBuilder(prepare);

async function prepare(folder: string): Promise<Build> {
  const { card, signing, images } = JSON.parse(readFileSync(join(folder, 'sample.json'), 'utf8')) as {
    card: Card;
    signing: Parameters<typeof loadSigner>[0] & { passTypeId: string; teamId: string; webServiceUrl: string };
    images: Record<string, string>;
  };
  const assets = new Map(
    Object.entries(images).map(([key, base64]) => [key, Uint8Array.from(Buffer.from(base64, 'base64'))]),
  );
  const { passTypeId, teamId, webServiceUrl, ...pems } = signing;
  // The card isn't a flight.
  const readAirports = async () => '';
  const who = { passTypeId, teamId, webServiceUrl, signer: await loadSigner(pems), readAirports };
  return (serialNumber) => buildPassFile({ ...card, id: serialNumber }, who, async ({ key }) => assets.get(key)!);
}
