import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { d1 } from '../../support/control.ts';
import { SAMPLE_FLIGHT } from '../../support/samples.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

const PASSENGER = ['Ada Lovelace', 'LOVELACE/ADA', 'X7Y8Z9', '12A'];

let account: Client;
let templateId: string;
let passId: string;
let code: string;
let editor: Visitor;
let trusted: Visitor;

beforeAll(async () => {
  account = await freshAccount();
  templateId = await account.createTemplate({
    type: 'boardingPass',
    transitType: 'PKTransitTypeAir',
    fields: { primaryFields: [{ key: 'name', label: 'Passenger', value: '{passengerName} {confirmationCode}' }] },
    barcode: { format: 'aztec', value: '{bcbp}', alternativeText: '{passengerName}' },
  });
  const created = await account.createPass(templateId, {
    ...SAMPLE_FLIGHT,
    seatNumber: '12A',
    originAirportGate: 'Gate 77',
    userProvidedId: 'order-1',
  });
  passId = created.identifier;
  const [row] = await d1<{ barcode_value: string }>('select barcode_value from passes where id = ?', [passId]);
  code = row!.barcode_value;
  [editor, trusted] = await Promise.all([
    visitor(account, ['passes.edit']),
    visitor(account, ['passes.edit', 'personal_data']),
  ]);
});

const path = (...parts: string[]) => consolePath(account, ...parts);

/** Returns which values of the passenger a page contains. */
async function seen(who: Visitor, page: string): Promise<string[]> {
  const { body } = await who.get(page);
  return PASSENGER.filter((value) => body.includes(value));
}

describe('members without personal_data', () => {
  test('see a boarding pass without its passenger and code', async () => {
    expect(code).toContain('LOVELACE/ADA');
    expect(await seen(trusted, path('passes', passId))).toEqual(PASSENGER);
    expect(await seen(editor, path('passes', passId))).toEqual([]);
    expect((await editor.get(path('passes', passId))).body).toContain('Gate 77');
  });

  test('change its other values, and keep the passenger', async () => {
    const page = path('passes', passId, 'edit');
    expect(await seen(editor, page)).toEqual([]);
    const { body } = await editor.get(page);
    const has = (field: string) => body.includes(`name="field-${field}"`);
    expect(['originAirportGate', 'passengerName', 'barcodeValue'].map(has)).toEqual([true, false, false]);
    const sent = { before: '{}', 'field-originAirportGate': 'Gate 78', 'field-passengerName': 'Mallory' };
    expect((await editor.post(page, sent)).status).toBe(303);
    expect((await account.get(`/api/pass/${passId}`)).body).toMatchObject({
      originAirportGate: 'Gate 78',
      passengerName: 'Ada Lovelace',
      barcodeValue: code,
    });
  });

  test('see no codes of boarding passes in lists of passes and scans', async () => {
    const lists = ['', `template=${templateId}&`].map((chosen) => `${path('passes')}?${chosen}column=barcodeValue`);
    for (const page of lists) {
      expect([page, await seen(trusted, page)]).toEqual([page, PASSENGER.slice(1)]);
      expect([page, await seen(editor, page)]).toEqual([page, []]);
      expect((await editor.get(page)).body).toContain('order-1');
    }
    expect((await scan(account, await createConfiguration(account, { scanMode: 1 }), code)).status).toBe(201);
    expect(await seen(trusted, path('scans'))).toEqual(PASSENGER.slice(1));
    expect(await seen(editor, path('scans'))).toEqual([]);
    expect((await editor.get(path('scans'))).body).toContain('order-1');
  });

  test('see no codes of their own format in the list of scans', async () => {
    const own = await account.createTemplate({
      type: 'boardingPass',
      transitType: 'PKTransitTypeAir',
      barcode: { format: 'qr', value: '{passengerName} {seatNumber}' },
    });
    await account.createPass(own, { ...SAMPLE_FLIGHT, passengerName: 'Grace Hopper', seatNumber: '31F' });
    const configuration = await createConfiguration(account, { scanMode: 1 });
    expect((await scan(account, configuration, 'Grace Hopper 31F')).status).toBe(201);
    const shows = async (who: Visitor, page: string) => (await who.get(page)).body.includes('Grace Hopper');
    expect([await shows(trusted, path('scans')), await shows(editor, path('scans'))]).toEqual([true, false]);
    // The audit log has no entries for views of the overview.
    expect([await shows(trusted, path()), await shows(editor, path())]).toEqual([false, false]);
  });

  test('find a boarding pass by its whole code, and learn nothing from parts of it', async () => {
    const listOf = async (who: Visitor, query: Record<string, string>) =>
      who.get(`${path('passes')}?${new URLSearchParams(query)}`);
    const finds = async (who: Visitor, query: Record<string, string>) => {
      const { status, body } = await listOf(who, query);
      return [status, body.includes('order-1</a>')];
    };
    for (const template of ['', templateId]) {
      const by = (f: string, o: string, v: string) => ({ template, g: '0', f, o, v });
      expect(await finds(trusted, by('barcodeValue', 'contains', 'LOVELACE'))).toEqual([200, true]);
      for (const query of [
        by('barcodeValue', 'contains', 'LOVELACE'),
        by('barcodeValue', 'beginsWith', 'M1LOVE'),
        by('barcodeAlternativeText', 'equals', 'Ada Lovelace'),
        by('passengerName', 'equals', 'Ada Lovelace'),
      ]) {
        expect([query, ...(await finds(editor, query))]).toEqual([query, 403, false]);
      }
      expect(await finds(editor, by('barcodeValue', 'equals', code))).toEqual([200, true]);
      expect(await finds(trusted, { template, q: 'LOVELACE' })).toEqual([200, true]);
      expect(await finds(editor, { template, q: 'LOVELACE' })).toEqual([200, false]);
      expect(await finds(editor, { template, q: code })).toEqual([200, true]);
    }
  });
});
