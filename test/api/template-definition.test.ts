import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount } from '../support/api.ts';
import type { TemplateInput } from '../support/samples.ts';
import { unzip } from '../wallets/apple/tools.ts';

/* The effect of a definition's members in the pass file. */

let client: Client;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
});

async function passJson({ linkToPassFile }: Pick<CreatedPass, 'linkToPassFile'>) {
  return JSON.parse(
    unzip((await client.get(linkToPassFile as '/')).body)
      .get('pass.json')!
      .toString(),
  );
}

async function shown(definition: Partial<TemplateInput>, fields: Record<string, unknown> = {}) {
  return passJson(await client.createPass(await client.createTemplate(definition), fields));
}

describe('expiration', () => {
  const TEMPLATE_END = '2031-01-01 00:00';
  const [EARLY, LATE] = ['2030-06-01 12:00', '2032-06-01 12:00'];
  const [templateEnd, early, late] = [
    '2031-01-01T00:00:00+01:00',
    '2030-06-01T12:00:00+02:00',
    '2032-06-01T12:00:00+02:00',
  ];

  test.each<[string, TemplateInput['expiration'], string | undefined, string | undefined]>([
    ['the template’s counts for all passes', { expirationDate: TEMPLATE_END }, undefined, templateEnd],
    ['the pass’s own counts before the template’s', { expirationDate: TEMPLATE_END }, LATE, late],
    [
      'the template’s is the limit when it says so',
      { expirationDate: TEMPLATE_END, limitExpirationDateOfPassWithTemplate: true },
      LATE,
      templateEnd,
    ],
    [
      'an earlier one stays within the limit',
      { expirationDate: TEMPLATE_END, limitExpirationDateOfPassWithTemplate: true },
      EARLY,
      early,
    ],
    [
      'there is none for a pass that should have its own',
      { expirationDate: TEMPLATE_END, expirationDateDifferentForEachPass: true },
      undefined,
      undefined,
    ],
    [
      'the template’s stands in when it says so',
      {
        expirationDate: TEMPLATE_END,
        expirationDateDifferentForEachPass: true,
        fallbackToTemplateExpirationDateIfEmpty: true,
      },
      undefined,
      templateEnd,
    ],
  ])('%s', async (_, expiration, expirationDate, expected) => {
    expect((await shown({ expiration }, { expirationDate })).expirationDate).toBe(expected);
  });

  test('validityInDays counts from the creation of the pass', async () => {
    const before = Date.now();
    const { expirationDate } = await shown({ expiration: { validityInDays: 30 } });
    const days = (Date.parse(expirationDate) - before) / 86_400_000;
    expect(days).toBeGreaterThan(29.99);
    expect(days).toBeLessThan(30.01);
  });
});

describe('a voided pass', () => {
  test('shows the voided variants of field and color, and the others again once it is restored', async () => {
    const template = await client.createTemplate({
      fields: {
        primaryFields: [
          { key: 'state', label: 'Valid', value: 'Welcome', voidedLabel: 'Void', voidedValue: 'Used by {Full name}' },
        ],
      },
      colors: { backgroundColor: '#00ff00', voidedBackgroundColor: '#808080' },
    });
    const pass = await client.createPass(template, { 'Full name': 'Ada' });
    const looks = async () => {
      const { voided = false, backgroundColor, generic } = await passJson(pass);
      return [voided, backgroundColor, generic.primaryFields[0].label, generic.primaryFields[0].value];
    };
    const valid = [false, 'rgb(0, 255, 0)', 'Valid', 'Welcome'];
    expect(await looks()).toEqual(valid);
    await client.put(`/api/pass/${pass.identifier}`, { voided: true });
    expect(await looks()).toEqual([true, 'rgb(128, 128, 128)', 'Void', 'Used by Ada']);
    await client.put(`/api/pass/${pass.identifier}`, { voided: false });
    expect(await looks()).toEqual(valid);
  });
});

describe('barcode', () => {
  test('takes its value from the template’s text unless the pass has its own', async () => {
    const barcode = { value: 'M-{Full name}', alternativeText: 'Hello {Full name}' };
    const ada = { 'Full name': 'Ada' };
    expect((await shown({ barcode }, ada)).barcodes[0]).toMatchObject({ message: 'M-Ada', altText: 'Hello Ada' });
    for (const own of [{ valueDifferentForEachPass: true }, { useAutoIdForValue: true }]) {
      expect((await shown({ barcode: { ...barcode, ...own } }, ada)).barcodes[0].message).toMatch(/^[0-9A-Z]{16}$/);
    }
    expect((await shown({ barcode }, { ...ada, barcodeValue: 'mine' })).barcodes[0].message).toBe('mine');
  });

  test.each([
    ['qr', 'PKBarcodeFormatQR'],
    ['pdf417', 'PKBarcodeFormatPDF417'],
    ['aztec', 'PKBarcodeFormatAztec'],
    ['code128', 'PKBarcodeFormatCode128'],
    ['none', undefined],
  ] as const)('is drawn as %s', async (format, expected) => {
    expect((await shown({ barcode: { format } })).barcodes?.[0].format).toBe(expected);
  });
});

test('places, date, logo text, links and the ban on sharing are those of the template', async () => {
  const template = await client.createTemplate({
    locations: [{ latitude: 48.2, longitude: 16.37, relevantText: 'Here' }],
    relevantDate: '2030-07-01 18:00',
    logoText: 'Club of {Full name}',
    links: [{ label: 'Site', url: 'https://example.com/' }],
    sharingProhibited: true,
  });
  const pass = await passJson(await client.createPass(template, { 'Full name': 'Ada' }));
  expect(pass).toMatchObject({
    locations: [{ latitude: 48.2, longitude: 16.37, relevantText: 'Here' }],
    relevantDate: '2030-07-01T18:00:00+02:00',
    logoText: 'Club of Ada',
    sharingProhibited: true,
  });
  expect(JSON.stringify(pass.generic.backFields)).toContain('https://example.com/');
  const own = { locations: [{ latitude: 1, longitude: 2 }], relevantDate: '2030-08-01 10:00' };
  expect(await passJson(await client.createPass(template, own))).toMatchObject({
    locations: [{ latitude: 1, longitude: 2 }],
    relevantDate: '2030-08-01T10:00:00+02:00',
  });
});
