import { decodeProtectedHeader, jwtVerify } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { buildClass } from '../../../src/wallets/google/pass-class.ts';
import { buildObject } from '../../../src/wallets/google/pass-object.ts';
import { buildBundleSaveLink, buildSaveLink, SAVE_LINK_CHARS_MAX } from '../../../src/wallets/google/save-link.ts';
import type { GoogleSigner } from '../../../src/wallets/google/signer.ts';
import { type SampleStyle, sampleCard, sampleField, sampleFields } from '../../support/card.ts';
import { BASE_URL, ISSUER_ID, type Json, sampleSigner } from './signer.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const OPTIONS = { baseUrl: BASE_URL, now: NOW };
const PREFIX = 'https://pay.google.com/gp/v/save/';

let signer: GoogleSigner;
let publicKey: CryptoKey;

beforeAll(async () => {
  ({ signer, publicKey } = await sampleSigner());
});

/** Verifies the link's signature and returns its claims. */
async function claimsOf(url: string): Promise<Record<string, Json>> {
  expect(url.startsWith(PREFIX)).toBe(true);
  const jwt = url.slice(PREFIX.length);
  expect(decodeProtectedHeader(jwt)).toEqual({ alg: 'RS256', typ: 'JWT' });
  const { payload } = await jwtVerify(jwt, publicKey, {
    issuer: signer.clientEmail,
    audience: 'google',
    currentDate: new Date(NOW),
  });
  return payload;
}

/** Returns a generic card whose class and object fit into a link together. */
function smallCard(text = 'x') {
  return sampleCard('generic', {
    fields: sampleFields({ backFields: [sampleField('text', 'Text', text)] }),
    translations: {},
    locations: [],
    validAsOfAt: undefined,
    barcode: undefined,
  });
}

test('the claims are those of a save link', async () => {
  const { url } = await buildSaveLink(sampleCard('coupon'), signer, OPTIONS);
  expect(await claimsOf(url)).toMatchObject({
    iss: signer.clientEmail,
    aud: 'google',
    typ: 'savetowallet',
    iat: NOW / 1_000,
    origins: [],
  });
});

test('a small pass is contained completely', async () => {
  const card = smallCard();
  const { url, form } = await buildSaveLink(card, signer, OPTIONS);
  const build = { issuerId: ISSUER_ID, baseUrl: BASE_URL, now: NOW };
  expect(form).toBe('full');
  expect((await claimsOf(url)).payload).toEqual(
    JSON.parse(
      JSON.stringify({
        genericClasses: [buildClass(card, build).resource],
        genericObjects: [buildObject(card, build).resource],
      }),
    ),
  );
});

test.each(['boardingPass', 'eventTicket', 'storeCard', 'coupon', 'generic'] as SampleStyle[])(
  'a realistic %s is named, not truncated',
  async (style) => {
    const card = sampleCard(style);
    const { url, form } = await buildSaveLink(card, signer, OPTIONS);
    const { kind, resource } = buildObject(card, { issuerId: ISSUER_ID, baseUrl: BASE_URL, now: NOW });
    expect(form).toBe('skinny');
    expect((await claimsOf(url)).payload).toEqual({
      [`${kind}Objects`]: [{ id: resource.id, classId: resource.classId }],
    });
    expect(url.length).toBeLessThan(900);
  },
);

test('the form changes exactly where the link would exceed the safe length', async () => {
  const lengths: number[] = [];
  for (let chars = 1; chars <= 900; chars++) {
    const { url, form } = await buildSaveLink(smallCard('x'.repeat(chars)), signer, OPTIONS);
    if (form === 'skinny') break;
    lengths.push(url.length);
  }
  const longest = lengths.at(-1)!;
  expect(lengths.length).toBeLessThan(900);
  expect(longest).toBeLessThanOrEqual(SAVE_LINK_CHARS_MAX);
  // Each character adds one or two in base64, so the longest full link is close to the limit.
  expect(longest).toBeGreaterThan(SAVE_LINK_CHARS_MAX - 4);
});

test('a pass that was inserted before is named, however small', async () => {
  const { url, form } = await buildSaveLink(smallCard(), signer, { ...OPTIONS, inserted: true });
  expect(form).toBe('skinny');
  expect(Object.keys((await claimsOf(url)).payload)).toEqual(['genericObjects']);
});

describe('bundle', () => {
  const cards = (count: number) =>
    Array.from({ length: count }, (_, i) => sampleCard((['eventTicket', 'coupon'] as const)[i % 2]!, { id: uuidv7() }));

  test('names objects with their classes, by kind', async () => {
    const passes = cards(4);
    const { url, form } = await buildBundleSaveLink(passes, signer, OPTIONS);
    const { payload } = await claimsOf(url);
    expect(form).toBe('skinny');
    expect(payload.eventTicketObjects.map(({ id }: { id: string }) => id)).toEqual([
      `${ISSUER_ID}.${passes[0]!.id}`,
      `${ISSUER_ID}.${passes[2]!.id}`,
    ]);
    expect(payload.offerObjects).toHaveLength(2);
    expect(payload.offerObjects[0].classId).toMatch(/^\d+\./);
  });

  test('ten passes stay within the safe length', async () => {
    const { url } = await buildBundleSaveLink(cards(10), signer, OPTIONS);
    const { payload } = await claimsOf(url);
    expect(url.length).toBeLessThanOrEqual(SAVE_LINK_CHARS_MAX);
    expect(payload.eventTicketObjects).toHaveLength(5);
    expect(payload.offerObjects).toHaveLength(5);
    expect(payload.offerObjects[0]).not.toHaveProperty('classId');
  });
});
