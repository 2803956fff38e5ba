import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../../scripts/development-ca.ts';
import { IMAGE_ROLES, type ImageVariant } from '../../../src/domain/images/stored-image.ts';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { buildPassFile, bundlePassFiles } from '../../../src/wallets/apple/pkpass.ts';
import { loadSigner, type Signer } from '../../../src/wallets/apple/signature.ts';
import { readAirports } from '../../support/airports.ts';
import { type SampleStyle, sampleCard, sampleField, sampleFields } from '../../support/card.ts';
import { Assets, decodeStrings, unzip, verifySignature } from './tools.ts';

const IDENTITY = { passTypeId: 'pass.com.example.test', teamId: 'ABCDE12345' };
const STYLES: SampleStyle[] = ['boardingPass', 'eventTicket', 'storeCard', 'coupon', 'generic'];

let authority: DevelopmentAuthority;
let signer: Signer;
beforeAll(async () => {
  authority = await createDevelopmentAuthority({ ...IDENTITY, organizationName: 'Example' });
  signer = await loadSigner(authority);
});

const noAsset = async (variant: ImageVariant): Promise<Uint8Array> => {
  throw new Error(`asked for ${variant.key}`);
};

const build = (card: Card, load = noAsset) => buildPassFile(card, { ...IDENTITY, signer, readAirports }, load);

const TAGS = ['eventName', 'venueName', 'venueRegionName', 'venueRoom'];
const POSTER: Partial<Card> = {
  preferredStyleScheme: 'posterEventTicket',
  nfc: { message: 'm', encryptionPublicKey: 'k', requiresAuthentication: true },
  fields: sampleFields({ backFields: TAGS.map((tag) => sampleField(tag, tag, tag)) }),
};

/**
 * Returns the names in the package of a card with one image per role, in one scale. A poster has no strip, which would
 * exclude a background.
 */
async function imageNames(overrides: Partial<Card>, style: SampleStyle = 'generic'): Promise<string[]> {
  const assets = new Assets();
  const roles = IMAGE_ROLES.filter(
    (role) => role !== 'strip' || overrides.preferredStyleScheme !== 'posterEventTicket',
  );
  const images = Object.fromEntries(roles.map((role) => [role, assets.add(role, ['2'])]));
  const card = sampleCard(style, { images, ...overrides });
  const names = [...unzip(await build(card, assets.load)).keys()];
  return names.filter((name) => name.endsWith('.png'));
}

describe.each(STYLES)('the pass file of a sample %s', (style) => {
  let files: Map<string, Buffer>;
  beforeAll(async () => {
    const assets = new Assets();
    const images = { icon: assets.add('icon'), logo: assets.add('logo', ['1', '2']) };
    files = unzip(await build(sampleCard(style, { images }), assets.load));
  });

  test('has everything at the root, with a valid signature', () => {
    expect([...files.keys()]).toEqual([
      'pass.json',
      'de.lproj/pass.strings',
      'en.lproj/pass.strings',
      'icon.png',
      'icon@2x.png',
      'icon@3x.png',
      'logo.png',
      'logo@2x.png',
      'manifest.json',
      'signature',
    ]);
    const [manifest, signature] = [files.get('manifest.json')!, files.get('signature')!];
    expect(() => verifySignature(manifest, signature, authority.rootPem)).not.toThrow();
    expect(() => verifySignature(Buffer.from(`${manifest} `), signature, authority.rootPem)).toThrow();
  });

  test('lists every file with its SHA-1', () => {
    const expected: Record<string, string> = {};
    for (const [name, bytes] of files)
      if (name !== 'manifest.json' && name !== 'signature')
        expected[name] = createHash('sha1').update(bytes).digest('hex');
    expect(JSON.parse(String(files.get('manifest.json')))).toEqual(expected);
  });

  test('translates texts that are in pass.json', () => {
    const pass = JSON.stringify(JSON.parse(String(files.get('pass.json'))));
    const german = decodeStrings(files.get('de.lproj/pass.strings')!);
    for (const key of Object.keys(sampleCard(style).translations.de!)) {
      expect(pass).toContain(JSON.stringify(key));
      expect(german[key]).toBe(sampleCard(style).translations.de![key]);
    }
  });
});

describe('images of a pass file', () => {
  test.each<[string, SampleStyle, Partial<Card>, string[]]>([
    ['boardingPass', 'boardingPass', {}, ['icon', 'logo', 'footer']],
    ['eventTicket', 'eventTicket', {}, ['icon', 'logo', 'strip']],
    [
      'eventTicketBackground',
      'eventTicket',
      { type: 'eventTicketBackground' },
      ['icon', 'logo', 'background', 'thumbnail'],
    ],
    [
      'poster event ticket of type eventTicket',
      'eventTicket',
      POSTER,
      ['icon', 'logo', 'background', 'thumbnail', 'artwork', 'secondaryLogo', 'venueMap', 'primaryLogo'],
    ],
    [
      'store card with a poster of iOS 27',
      'storeCard',
      { apple: { members: {}, posterGeneric: {}, additionalInfoFields: [], upcoming: [] } },
      ['icon', 'logo', 'strip', 'artwork', 'primaryLogo'],
    ],
    ['storeCard', 'storeCard', {}, ['icon', 'logo', 'strip']],
    ['coupon', 'coupon', {}, ['icon', 'logo', 'strip']],
    ['generic', 'generic', {}, ['icon', 'logo', 'thumbnail']],
    [
      'semantic boarding pass',
      'boardingPass',
      { preferredStyleScheme: 'semanticBoardingPass' },
      ['icon', 'logo', 'footer', 'primaryLogo'],
    ],
  ])('are those that a %s supports', async (_, style, overrides, roles) => {
    expect(await imageNames(overrides, style)).toEqual(roles.map((role) => `${role}@2x.png`));
  });

  test('are in language folders if a background is localized, and never also at the root', async () => {
    const assets = new Assets();
    const card = sampleCard('eventTicket', {
      type: 'eventTicketBackground',
      images: { icon: assets.add('icon'), background: assets.add('background', ['1', '2']) },
      localizedBackgrounds: { fr: assets.add('fond', ['1']) },
    });
    const files = unzip(await build(card, assets.load));
    const backgrounds = [...files].filter(([name]) => name.includes('background'));
    expect(Object.fromEntries(backgrounds.map(([name, bytes]) => [name, String(bytes)]))).toEqual({
      'en.lproj/background.png': 'png of background@1',
      'en.lproj/background@2x.png': 'png of background@2',
      'de.lproj/background.png': 'png of background@1',
      'de.lproj/background@2x.png': 'png of background@2',
      'fr.lproj/background.png': 'png of fond@1',
    });
    expect(assets.loaded.filter((key) => key === 'background@1')).toHaveLength(1);
  });

  test('include a neutral icon if the card has none', async () => {
    const files = unzip(await build(sampleCard('generic')));
    const manifest = JSON.parse(String(files.get('manifest.json')));
    for (const [name, side] of [
      ['icon.png', 38],
      ['icon@2x.png', 76],
      ['icon@3x.png', 114],
    ] as const) {
      const png = files.get(name)!;
      expect(png.subarray(1, 4).toString()).toBe('PNG');
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([side, side]);
      expect(manifest[name]).toBe(createHash('sha1').update(png).digest('hex'));
    }
  });

  test('are the card’s own if cards that share images differ in layout, texts or backgrounds', async () => {
    const assets = new Assets();
    const images = Object.fromEntries(
      (['logo', 'artwork', 'background'] as const).map((role) => [role, assets.add(role, ['2'])]),
    );
    const plain = { images, translations: {}, locations: [] };
    const german = { ...plain, type: 'eventTicketBackground' as const, translations: { de: { Gate: 'Tor' } } };
    const cards = [
      sampleCard('storeCard', plain),
      sampleCard('eventTicket', { ...plain, ...POSTER }),
      sampleCard('eventTicket', { ...plain, type: 'eventTicketBackground' }),
      sampleCard('eventTicket', german),
      sampleCard('eventTicket', { ...german, localizedBackgrounds: { de: assets.add('background', ['3']) } }),
    ];
    // The second round uses what the first has cached.
    for (const card of [...cards, ...cards]) {
      const at = new Date();
      const files = [card, structuredClone(card)].map((one) =>
        buildPassFile(one, { ...IDENTITY, signer, readAirports }, assets.load, at),
      );
      const [shared, own] = await Promise.all(files);
      expect(Buffer.compare(shared!, own!)).toBe(0);
    }
    const lists = await Promise.all(
      cards.map(async (card) => [...unzip(await build(card, assets.load)).keys()].join()),
    );
    expect(new Set(lists).size).toBe(cards.length);
  });

  test('are used with their stored hashes', async () => {
    const assets = new Assets();
    const icon = assets.add('icon', ['1']);
    icon.variants['1']!.sha1 = '0'.repeat(40);
    const file = await build(sampleCard('generic', { images: { icon }, translations: {}, locations: [] }), assets.load);
    expect(Buffer.from(file).toString('latin1')).toContain(`"icon.png":"${'0'.repeat(40)}"`);
  });

  test('fail the file if they are missing or truncated', async () => {
    const assets = new Assets();
    const images = { icon: assets.add('icon') };
    await expect(build(sampleCard('generic', { images }))).rejects.toThrow('asked for icon@1');
    assets.bytes.set('icon@2', new Uint8Array(3));
    await expect(build(sampleCard('generic', { images }), assets.load)).rejects.toThrow('icon@2 has 3 bytes');
  });
});

describe('buildPassFile', () => {
  test('also signs with a P-256 key', async () => {
    const ec = await createDevelopmentAuthority({ ...IDENTITY, organizationName: 'Example', keyType: 'ec' });
    const file = await buildPassFile(
      sampleCard('coupon'),
      { ...IDENTITY, signer: await loadSigner(ec), readAirports },
      noAsset,
    );
    const files = unzip(file);
    expect(() => verifySignature(files.get('manifest.json')!, files.get('signature')!, ec.rootPem)).not.toThrow();
  });
});

describe('bundlePassFiles', () => {
  test('contains whole pass files', async () => {
    const passes = await Promise.all(STYLES.map((style) => build(sampleCard(style))));
    const files = unzip(bundlePassFiles(passes));
    expect([...files.keys()]).toEqual(STYLES.map((_, i) => `pass-${i + 1}.pkpass`));
    for (const [i, bytes] of [...files.values()].entries()) {
      expect(bytes.equals(passes[i]!)).toBe(true);
      expect([...unzip(bytes).keys()]).toContain('signature');
    }
  });

  test('rejects none, more than ten, and more than 150 MB', () => {
    const file = new Uint8Array(10);
    expect(() => bundlePassFiles([])).toThrow(RangeError);
    expect(() => bundlePassFiles(Array(10).fill(file))).not.toThrow();
    expect(() => bundlePassFiles(Array(11).fill(file))).toThrow(RangeError);
    expect(() => bundlePassFiles([{ length: 150_000_001 } as Uint8Array])).toThrow(RangeError);
  });
});
