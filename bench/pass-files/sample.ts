import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { imageBox } from '../../src/domain/images/image-boxes.ts';
import type { ImageVariant, StoredImage, StoredImages } from '../../src/domain/images/stored-image.ts';
import type { Card } from '../../src/domain/passes/card/card.ts';

/** A pass to build: a store card with many images (about 550 KB) or few (about 120 KB). */
export type SampleSize = 'full' | 'lite';

export interface Sample {
  card: Card;
  /** Image bytes by the card's keys. */
  images: Map<string, Buffer>;
}

type Role = 'icon' | 'logo' | 'strip';

/**
 * Images, and the fraction of their pixels that is incompressible noise. Together they determine the package's size.
 */
const SIZES: Record<SampleSize, { roles: Role[]; noise: number }> = {
  full: { roles: ['icon', 'logo', 'strip'], noise: 0.617 },
  lite: { roles: ['icon', 'logo'], noise: 0.865 },
};

/** Returns the pass of a size, the same on every call. */
export function samplePass(size: SampleSize): Sample {
  const { roles, noise } = SIZES[size];
  const images = new Map<string, Buffer>();
  const stored: StoredImages = {};
  for (const role of roles) {
    const { width, height } = imageBox(role, 'storeCard');
    const variants: StoredImage['variants'] = {};
    for (const scale of ['1', '2', '3'] as const) {
      const bytes = noisePng(width * Number(scale), height * Number(scale), noise);
      const key = `bench/${size}-${role}-${scale}.png`;
      images.set(key, bytes);
      variants[scale] = variant(key, width * Number(scale), height * Number(scale), bytes);
    }
    stored[role] = { sha256: createHash('sha256').update(role).digest('hex'), width, height, variants };
  }
  return { card: card(stored), images };
}

function variant(key: string, width: number, height: number, bytes: Buffer): ImageVariant {
  return {
    key,
    width,
    height,
    bytes: bytes.length,
    sha1: createHash('sha1').update(bytes).digest('hex'),
    crc32: crc32(bytes),
  };
}

/** Returns a gray PNG (ISO/IEC 15948) with noise in its upper rows and black in the others. */
function noisePng(width: number, height: number, noise: number): Buffer {
  const rowBytes = width + 1;
  const pixels = Buffer.alloc(rowBytes * height);
  let state = 0x2545f491;
  for (let row = 0; row < height * noise; row++) {
    for (let at = row * rowBytes + 1; at < (row + 1) * rowBytes; at++) {
      // Xorshift (Marsaglia 2003): the same noise each time.
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      pixels[at] = state & 0xff;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(typed.length + 8);
  out.writeUInt32BE(data.length, 0);
  typed.copy(out, 4);
  out.writeUInt32BE(crc32(typed), typed.length + 4);
  return out;
}

function card(images: StoredImages): Card {
  const text = (key: string, label: string, value: string) => ({ key, type: 'text' as const, label, value });
  return {
    id: '0198f000-0000-7000-8000-000000000000',
    accountId: '0198f000-0000-7000-8000-000000000100',
    templateId: '0198f000-0000-7000-8000-000000000200',
    passVersion: 1,
    passRevision: 1,
    templateVersion: 1,
    templateName: 'Loyalty card',
    type: 'storeCard',
    organizationName: 'Northwind Climbing Hall',
    description: 'Loyalty card of the Northwind Climbing Hall',
    logoText: 'Northwind',
    colors: { backgroundColor: '#1d3557', foregroundColor: '#ffffff', labelColor: '#a8dadc' },
    fields: {
      headerFields: [text('level', 'Level', 'Gold')],
      primaryFields: [text('balance', 'Balance', '120 points')],
      secondaryFields: [text('member', 'Member', 'Adaline Brightwater'), text('hall', 'Hall', 'North')],
      auxiliaryFields: [],
      backFields: [text('terms', 'Terms', 'The card is not transferable. Show it at the desk.')],
    },
    links: [],
    barcode: { format: 'qr', value: 'NW-0000-4711', alternativeText: 'NW-0000-4711' },
    images,
    localizedBackgrounds: {},
    locations: [{ latitude: 52.5163, longitude: 13.3777, relevantText: 'Welcome back' }],
    timezone: 'UTC',
    language: 'en',
    voided: false,
    redeemed: false,
    sharingProhibited: true,
    translations: {
      de: { Level: 'Stufe', Balance: 'Guthaben', Member: 'Mitglied', Hall: 'Halle', Terms: 'Bedingungen' },
    },
    walletApps: { apple: true, google: true },
    authenticationToken: 'vxwxd7J8AlNNFPS8k0a0FfUFtq0ewzFdc',
    modifiedAt: Date.UTC(2026, 0, 1),
  };
}
