import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { auditEntries } from '../../support/audit.ts';
import { SAMPLE_FLIGHT } from '../../support/samples.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';
import { formOf } from './form-controls.ts';

const SECRETS = ['holder-of-secrets@example.com', 'born 1912-06-23'];

let account: Client;
let templateId: string;
let passId: string;
let reader: Visitor;
let designer: Visitor;
let trusted: Visitor;

beforeAll(async () => {
  account = await freshAccount();
  templateId = await account.createTemplate({
    additionalProperties: [{ name: 'Seat' }, { name: 'Birthday', personal: true }],
    fields: {
      auxiliaryFields: [{ key: 'born', label: 'Born', value: '{Seat} {Birthday} {emailRecipient}' }],
      backFields: [{ key: 'page', label: 'Page', value: '{downloadPage}' }],
    },
  } as never);
  const fields = { userProvidedId: 'order-1', emailRecipient: SECRETS[0], Seat: 'Seat 12A', Birthday: SECRETS[1] };
  passId = (await account.createPass(templateId, fields)).identifier;
  [reader, designer, trusted] = await Promise.all([
    visitor(account, ['read']),
    visitor(account, ['templates.edit', 'passes.edit']),
    visitor(account, ['templates.edit', 'passes.edit', 'personal_data']),
  ]);
});

const path = (...parts: string[]) => consolePath(account, ...parts);
const pageOf = async (who: Visitor) => (await who.get(path('templates', templateId))).body as string;

/** Returns which parts of the pass a preview shows to a member who names the pass. */
async function previewed(who: Visitor, changes: Record<string, string> = {}): Promise<string[]> {
  const sent = { ...changes, do: 'preview', 'preview.pass': 'order-1', 'preview.face': 'back' };
  const bodies = await Promise.all(
    [sent, { ...sent, 'preview.face': 'front' }].map(
      async (fields) =>
        (await who.post(path('templates', templateId), formOf(await pageOf(who), 'designer', fields))).body,
    ),
  );
  const link = /\/p\/[\w-]{25}\b/.exec(bodies.join())?.[0];
  return [...['Seat 12A', ...SECRETS].filter((value) => bodies.join().includes(value)), ...(link ? ['link'] : [])];
}

describe('the preview of a template', () => {
  test('shows a pass without its personal data and links to members without personal_data', async () => {
    expect(await previewed(trusted)).toEqual(['Seat 12A', ...SECRETS, 'link']);
    expect(await previewed(reader)).toEqual(['Seat 12A']);
    expect(await previewed(designer)).toEqual(['Seat 12A']);
    expect(await previewed(designer, { 'additionalProperties.1.personal': '' })).toEqual(['Seat 12A']);
  });

  test('adds an entry to the audit log if it shows personal data, but none when it is drawn again', async () => {
    const other = await visitor(account, ['read', 'personal_data']);
    const viewers = async () =>
      (await auditEntries(account.accountId))
        .filter(({ action, target_id: target }) => action === 'pass.view' && target === passId)
        .map(({ email }) => email);
    await previewed(designer);
    expect(await viewers()).not.toContain(designer.email);
    await previewed(other);
    const first = await viewers();
    expect(first).toContain(other.email);
    await previewed(other);
    expect(await viewers()).toEqual(first);
  });
});

describe('moving a pass', () => {
  test('needs personal_data, because another template may show what this one hides', async () => {
    const { body } = await account.post('/api/v3/project', { name: 'Tickets' });
    const projectId = body.data.identifier;
    const [from, to] = await Promise.all([
      account.createTemplate({ projectId, additionalProperties: [{ name: 'Birthday', personal: true }] } as never),
      account.createTemplate({ projectId, additionalProperties: [{ name: 'Birthday' }] } as never),
    ]);
    const { identifier } = await account.createPass(from, { Birthday: SECRETS[1] });
    const page = path('passes', identifier);
    const offers = async (who: Visitor) => (await who.get(page)).body.includes(`action="${page}/move"`);
    expect([await offers(designer), await offers(trusted)]).toEqual([false, true]);
    expect((await designer.post(`${page}/move`, { target: to })).status).toBe(403);
    expect((await designer.get(page)).body).not.toContain(SECRETS[1]);
    expect((await trusted.post(`${page}/move`, { target: to })).status).toBe(303);
    expect((await designer.get(page)).body).toContain(SECRETS[1]);
  });
});

describe('a search', () => {
  test('compares no hidden property, even if another property has its ID as name', async () => {
    const id = '65f0c2a81b3d4.01234567';
    const additionalProperties = [{ id, name: 'Birthday', personal: true }, { name: id }];
    const template = await account.createTemplate({ additionalProperties } as never);
    await account.createPass(template, { userProvidedId: 'order-2', [id]: SECRETS[1] });
    const page = `${path('passes')}?template=${template}&g=0&f=${id}&o=contains&v=1912`;
    expect((await trusted.get(page)).body).toContain('order-2');
    expect((await reader.get(page)).status).toBe(403);
  });

  test('compares a property that the published version hides only after the change is published', async () => {
    const additionalProperties = [{ name: 'Birthday', personal: true }];
    const template = await account.createTemplate({ additionalProperties } as never);
    await account.createPass(template, { userProvidedId: 'order-3', Birthday: SECRETS[1] });
    const { body } = await account.get(`/api/v2/pass-template/${template}/describe`);
    const [{ id, ...property }] = body.data.additionalProperties;
    const draft = { additionalProperties: [{ id, ...property, personal: false }] };
    expect((await account.patch(`/api/v2/pass-template/${template}`, draft)).status).toBe(200);
    const list = `${path('passes')}?template=${template}&column=${id}`;
    const search = `${list}&g=0&f=${id}&o=contains&v=1912`;
    const seen = async () => {
      const [listed, searched] = await Promise.all([list, search].map((page) => reader.get(page)));
      return [listed!.body.includes(SECRETS[1]), searched!.status];
    };
    expect(await seen()).toEqual([false, 403]);
    expect((await account.post(`/api/v2/pass-template/${template}/publish`, {})).status).toBe(201);
    expect(await seen()).toEqual([true, 200]);
  });
});

describe('a change of many passes', () => {
  /** Returns how many passes a reviewed change would affect; undefined if the member can't set the field. */
  async function affected(who: Visitor, field: string, pass: string, query: object) {
    const form = { action: 'set', scope: 'selected', pass, query: JSON.stringify(query), field };
    const { body } = await who.post(path('passes', 'bulk'), { ...form, [`field-${field}`]: 'Eve' });
    return /<strong>(\d+) pass/.exec(body)?.[1];
  }

  test('sets no text below the code of a flight, even if the form names no template', async () => {
    const flights = await account.createTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir' });
    const { identifier } = await account.createPass(flights, { ...SAMPLE_FLIGHT, barcodeAlternativeText: 'Ada' });
    expect(await affected(trusted, 'barcodeAlternativeText', identifier, {})).toBe('1');
    expect(await affected(designer, 'barcodeAlternativeText', identifier, {})).toBeUndefined();
  });

  test('sets no property that the template of a pass hides and the named one shows', async () => {
    const { body } = await account.get(`/api/v2/pass-template/${templateId}/describe`);
    const { id } = body.data.additionalProperties[1];
    const shown = await account.createTemplate({ additionalProperties: [{ id, name: 'Birthday' }] } as never);
    const { identifier } = await account.createPass(shown);
    const query = { templateId: shown };
    expect(await affected(designer, id, identifier, query)).toBe('1');
    expect(await affected(designer, id, passId, query)).toBe('0');
  });
});
