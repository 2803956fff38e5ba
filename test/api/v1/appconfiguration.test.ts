import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, clientOf, freshAccount } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { allLogged, d1, eventually, runScheduled, sendJobs } from '../../support/control.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Asia/Tokyo' });
  templateId = await client.createTemplate({ name: 'Festival', validValidationPlaces: ['Hall', 'Bar'] });
});

const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const ID = /^[0-9a-f]{13}\.\d{8}$/;

describe('create', () => {
  test('with only the required fields', async () => {
    const { status, body } = await client.post('/api/appconfiguration', { name: 'Entrance', scanMode: 1 });
    expect(status).toBe(201);
    expect(body).toEqual({
      configuration: [
        {
          name: 'Entrance',
          configurationId: expect.any(String),
          passTemplateId: null,
          passTemplateIds: null,
          passTemplateName: null,
          createdOn: expect.stringMatching(DATE),
          createdOnUtc: expect.stringMatching(DATE),
          scanMode: 1,
          place: '',
          validValidationPlaces: null,
          additionalProperties: [],
          backgroundColor: null,
          textColor: null,
          timeToShowAutoSaveConfirmation: 3,
          type: 0,
          preventNegativeNumericValues: false,
          preventNegativeStoredValueBalance: false,
          showStoredValue: false,
          incrementStoredValue: false,
          appConfigurationLinks: [],
        },
      ],
    });
    const [{ createdOn, createdOnUtc }] = body.configuration;
    expect(Date.parse(`${createdOn}Z`) - Date.parse(`${createdOnUtc}Z`)).toBe(9 * 60 * 60_000);
  });

  test('with everything', async () => {
    const sent = {
      name: 'Bar',
      scanMode: 0,
      type: 1,
      place: 'Bar',
      passTemplateId: templateId,
      backgroundColor: '#FF8800',
      textColor: '#fff',
      showStoredValue: true,
      incrementStoredValue: true,
      preventNegativeNumericValues: true,
      preventNegativeStoredValueBalance: true,
      timeToShowAutoSaveConfirmation: 5,
    };
    const additionalProperties = [
      { name: 'Note', type: 'unicode' },
      { name: 'Bags', type: 'double' },
      { name: 'Adult', type: 'boolean' },
    ];
    const created = await createConfiguration(client, { ...sent, additionalProperties });
    expect(created).toMatchObject({
      ...sent,
      passTemplateName: 'Festival',
      validValidationPlaces: ['Hall', 'Bar'],
      additionalProperties: additionalProperties.map((one) => ({ ...one, id: expect.stringMatching(ID) })),
    });
    expect(new Set(created.additionalProperties.map(({ id }) => id)).size).toBe(3);
    const read = await client.get(`/api/appconfiguration/${created.configurationId}`);
    expect([read.status, read.body]).toEqual([200, created]);
  });

  test('for several templates', async () => {
    const other = await client.createTemplate({ validValidationPlaces: ['Bar', 'Roof'] });
    const sent = { passTemplateId: templateId, passTemplateIds: [templateId, other, other] };
    expect(await createConfiguration(client, sent)).toMatchObject({
      passTemplateId: templateId,
      passTemplateIds: [templateId, other],
      passTemplateName: null,
      validValidationPlaces: expect.arrayContaining(['Hall', 'Bar', 'Roof']),
    });
  });

  test.each([null, ''])('for all passes with passTemplateId %j', async (passTemplateId) => {
    expect(await createConfiguration(client, { passTemplateId })).toMatchObject({ passTemplateId: null });
  });

  test.each([7, '1', null, 'url', true, {}])('an invalid type %j becomes 0', async (type) => {
    expect(await createConfiguration(client, { type })).toMatchObject({ type: 0 });
  });

  test.each([
    [{ name: undefined }, 'name: is required'],
    [{ name: ' ' }, 'name: must not be empty'],
    [{ name: [5] }, 'name: must be a string'],
    [{ scanMode: undefined }, 'scanMode: is required and must be 0 or 1'],
    [{ scanMode: 2 }, 'scanMode: is required and must be 0 or 1'],
    [{ scanMode: '1' }, 'scanMode'],
    [{ place: {} }, 'place: must be a string'],
    [{ backgroundColor: 'red' }, 'backgroundColor: must be a hexadecimal color'],
    [{ textColor: 1 }, 'textColor'],
    [{ additionalProperties: [{ name: 'Bags' }] }, 'additionalProperties.0.type'],
    [
      { additionalProperties: [{ name: 'Bags', type: 'number' }] },
      'additionalProperties.0.type: must be one of unicode',
    ],
    [{ additionalProperties: [{ type: 'double' }] }, 'additionalProperties.0.name: is required'],
    [{ additionalProperties: 'none' }, 'additionalProperties'],
    [{ showStoredValue: 'yes' }, 'showStoredValue'],
    [{ passTemplateId: [5] }, 'passTemplateId'],
    [{ passTemplateIds: 'all' }, 'passTemplateIds'],
    [{ timeToShowAutoSaveConfirmation: -1 }, 'timeToShowAutoSaveConfirmation'],
  ])('rejects %j, naming the field', async (wrong, message) => {
    const before = (await client.get('/api/appconfiguration')).body.length;
    const { status, body } = await client.post('/api/appconfiguration', { name: 'Wrong', scanMode: 0, ...wrong });
    expect([status, body.ErrorMessage]).toEqual([400, expect.stringContaining(message)]);
    expect((await client.get('/api/appconfiguration')).body).toHaveLength(before);
  });

  test('for an unknown or foreign template returns 404, and stores nothing', async () => {
    const foreign = await (await freshAccount()).createTemplate();
    for (const id of [foreign, crypto.randomUUID(), 'none']) {
      for (const named of [{ passTemplateId: id }, { passTemplateIds: [templateId, id] }]) {
        const sent = { name: 'Nowhere', scanMode: 0, ...named };
        expect((await client.post('/api/appconfiguration', sent)).status).toBe(404);
      }
    }
    expect(JSON.stringify((await client.get('/api/appconfiguration')).body)).not.toContain('Nowhere');
  });
});

describe('the limits of an account', () => {
  const numbers = (count: number) =>
    `with recursive numbers as (select 1 as n union all select n + 1 from numbers where n < ${count})`;
  const post = async (owner: Client, path: `/${string}`, sent: object) => {
    const { status, body } = await owner.post(path, sent);
    return [status, body.ErrorMessage];
  };
  const sent = { name: 'A', scanMode: 0 };
  const message = (what: string) => `An account can have at most ${what}; delete some first`;
  const full = [
    400,
    message('1000 app configurations, with 2000000 characters of passTemplateIds and additionalProperties in all'),
  ];

  test('are 1,000 configurations, also if many are created at once', async () => {
    const owner = await freshAccount();
    const { configurationId } = await createConfiguration(owner);
    const others =
      'name, scan_mode, type, place, additional_properties, time_to_show_auto_save_confirmation, show_stored_value, ' +
      'increment_stored_value, prevent_negative_numeric_values, prevent_negative_stored_value_balance, created_at';
    await d1(
      `insert into app_configurations (id, account_id, ${others}) ${numbers(996)}
        select lower(hex(randomblob(4))) || '-0000-7000-8000-' || lower(hex(randomblob(6))), account_id, ${others}
        from numbers, app_configurations where id = ?`,
      [configurationId],
    );
    const made = await Promise.all(Array.from({ length: 9 }, () => post(owner, '/api/appconfiguration', sent)));
    expect(made.filter(([status]) => status === 201)).toHaveLength(3);
    expect(made.filter(([status]) => status !== 201)[0]).toEqual(full);
    expect((await owner.get('/api/appconfiguration')).body).toHaveLength(1_000);
    expect((await owner.put(`/api/appconfiguration/${configurationId}`, sent)).status).toBe(200);
    await owner.delete(`/api/appconfiguration/${configurationId}`);
    expect((await post(owner, '/api/appconfiguration', sent))[0]).toBe(201);
  });

  test('are 2,000,000 characters of lists, which a change may not exceed, but keep', async () => {
    const owner = await freshAccount();
    const long = { ...sent, additionalProperties: [{ name: 'x'.repeat(500), type: 'double' }] };
    const [large, small] = [await createConfiguration(owner), await createConfiguration(owner)];
    const list = JSON.stringify([{ id: '1', name: 'x'.repeat(1_999_700), type: 'double' }]);
    await d1('update app_configurations set additional_properties = ? where id = ?', [list, large.configurationId]);
    expect(await post(owner, '/api/appconfiguration', long)).toEqual(full);
    const change = async (id: string, wanted: object) => {
      const { status, body } = await owner.put(`/api/appconfiguration/${id}`, wanted);
      return [status, body.ErrorMessage];
    };
    expect(await change(small.configurationId, long)).toEqual(full);
    expect((await change(small.configurationId, sent))[0]).toBe(200);
    expect((await change(large.configurationId, long))[0]).toBe(200);
    expect((await change(small.configurationId, long))[0]).toBe(200);
  });

  test('are 10,000 links', async () => {
    const owner = await freshAccount();
    const { configurationId } = await createConfiguration(owner);
    const path = `/api/appconfiguration/${configurationId}/link` as const;
    const first = await owner.post(path, {});
    await d1(
      `insert into app_configuration_links
        (id, account_id, configuration_id, token_digest, secrets, can_change_config, valid_to_at, created_at)
        ${numbers(9_998)} select lower(hex(randomblob(8))), account_id, 'none', lower(hex(randomblob(8))), secrets, 0, 0, 0
        from numbers, app_configuration_links where id = ?`,
      [first.body.identifier],
    );
    expect((await post(owner, path, {}))[0]).toBe(201);
    expect(await post(owner, path, {})).toEqual([400, message('10000 scanner links')]);
    await owner.delete(`${path}/${first.body.identifier}`);
    expect((await post(owner, path, {}))[0]).toBe(201);
  });
});

describe('list and read', () => {
  test('return all of the account’s configurations and no others, oldest first', async () => {
    const owner = await freshAccount();
    await createConfiguration(await freshAccount());
    const made = [await createConfiguration(owner, { name: 'A' }), await createConfiguration(owner, { name: 'B' })];
    const { status, body } = await owner.get('/api/appconfiguration');
    expect([status, body]).toEqual([200, made]);
  });

  test('of an unknown or foreign one returns 404', async () => {
    const { configurationId } = await createConfiguration(await freshAccount());
    for (const id of [configurationId, crypto.randomUUID(), 'none']) {
      expect((await client.get(`/api/appconfiguration/${id}`)).body).toEqual({ ErrorMessage: 'Object not found' });
    }
  });

  test('a configuration of a deleted template validates no pass, rather than all', async () => {
    const doomed = await client.createTemplate();
    const scanner = await createConfiguration(client, { passTemplateId: doomed });
    await client.delete(`/api/pass-template/${doomed}`);
    const read = (await client.get(`/api/appconfiguration/${scanner.configurationId}`)).body;
    expect(read).toMatchObject({ passTemplateId: doomed, passTemplateName: null, validValidationPlaces: null });
    const { barcodeValue } = await client.createPass(templateId);
    expect((await scan(client, scanner, barcodeValue)).body.scanStatus).toBe(3);
  });
});

describe('update', () => {
  test('replaces what the caller sends; properties with the same name keep their identifier', async () => {
    const note = { name: 'Note', type: 'unicode' };
    const bags = { name: 'Bags', type: 'double' };
    const before = await createConfiguration(client, { place: 'Hall', additionalProperties: [note, bags] });
    const [first, second] = before.additionalProperties;
    const sent = {
      name: 'Exit',
      scanMode: 1,
      additionalProperties: [
        bags,
        { ...note, name: 'Remark', id: first!.id },
        { name: 'New', type: 'boolean', id: 'x' },
      ],
    };
    const { status, body } = await client.put(`/api/appconfiguration/${before.configurationId}`, sent);
    expect([status, body.configuration]).toEqual([
      200,
      [
        {
          ...before,
          name: 'Exit',
          scanMode: 1,
          place: '',
          additionalProperties: [
            second,
            { ...first, name: 'Remark' },
            { name: 'New', type: 'boolean', id: expect.stringMatching(ID) },
          ],
        },
      ],
    ]);
    expect((await client.get(`/api/appconfiguration/${before.configurationId}`)).body).toEqual(body.configuration[0]);
  });

  test('of an unknown or foreign one, or to an unknown template, returns 404', async () => {
    const sent = { name: 'Mine', scanMode: 0 };
    const foreign = await createConfiguration(await freshAccount());
    expect((await client.put(`/api/appconfiguration/${foreign.configurationId}`, sent)).status).toBe(404);
    const own = await createConfiguration(client);
    const wrong = { ...sent, passTemplateId: crypto.randomUUID() };
    expect((await client.put(`/api/appconfiguration/${own.configurationId}`, wrong)).status).toBe(404);
    expect((await client.get(`/api/appconfiguration/${own.configurationId}`)).body).toEqual(own);
  });
});

describe('delete', () => {
  const rowsOf = (id: string) =>
    d1<{ scans: number; configurations: number }>(
      `select (select count(*) from app_scans where configuration_id = ?1) as scans,
       (select count(*) from app_configurations where id = ?1) as configurations`,
      [id],
    ).then(([row]) => row!);

  test('deletes a configuration and its links at once, its scans later, and no passes', async () => {
    const scanner = await createConfiguration(client);
    const path = `/api/appconfiguration/${scanner.configurationId}` as const;
    const link = (await client.post(`${path}/link`, {})).body;
    const { identifier, barcodeValue } = await client.createPass(templateId);
    await scan(client, scanner, barcodeValue);
    const deleted = await client.delete(path);
    expect([deleted.status, deleted.body]).toEqual([200, undefined]);
    expect((await client.get(path)).status).toBe(404);
    expect((await client.delete(path)).status).toBe(404);
    expect((await scan(client, scanner, barcodeValue)).status).toBe(404);
    expect((await client.get(`/api/appscan/list/${scanner.configurationId}`)).status).toBe(404);
    expect(await d1('select id from app_configuration_links where id = ?', [link.identifier])).toEqual([]);
    await eventually(async () => (await rowsOf(scanner.configurationId)).configurations === 0);
    expect(await rowsOf(scanner.configurationId)).toEqual({ scans: 0, configurations: 0 });
    expect((await client.get(`/api/pass/${identifier}`)).body.voided).toBe(true);
  });

  test('a second delivery does nothing, and the cron resumes a lost one', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    await scan(client, scanner, 'nobody');
    const deletedAt = Date.now() - 16 * 60_000;
    await d1('update app_configurations set deleted_at = ? where id = ?', [deletedAt, scanner.configurationId]);
    await runScheduled();
    await eventually(async () => (await rowsOf(scanner.configurationId)).configurations === 0);
    await deletedAgain(scanner.configurationId);
    expect(await rowsOf(scanner.configurationId)).toEqual({ scans: 0, configurations: 0 });
  });

  test('the job never deletes scans of an existing configuration', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    await scan(client, scanner, 'nobody');
    await deletedAgain(scanner.configurationId);
    expect(await rowsOf(scanner.configurationId)).toEqual({ scans: 1, configurations: 1 });
  });
});

/** Sends the job that deletes a configuration's scans, and waits for it. */
async function deletedAgain(configurationId: string): Promise<void> {
  const runs = { event: 'job', job: 'delete-app-scans', subject: configurationId, status: 'done' };
  const before = (await allLogged(runs)).length;
  await sendJobs([{ type: 'delete-app-scans', configurationId }], client);
  await eventually(async () => (await allLogged(runs)).length > before);
}

describe('links', () => {
  test('open until validTo, and are listed with their configuration', async () => {
    const { configurationId } = await createConfiguration(client);
    const sent = { canChangeConfig: true, validTo: '2099-05-01 20:00' };
    const { status, body } = await client.post(`/api/appconfiguration/${configurationId}/link`, sent);
    expect([status, body]).toEqual([
      201,
      {
        identifier: expect.any(String),
        branchLink: expect.stringMatching(/^https?:\/\/[^/]+\/scan\/[\w-]{25}$/),
        canChangeConfig: true,
        createdOn: expect.stringMatching(DATE),
        expirationDate: '2099-05-01 20:00:00',
        validTo: '2099-05-01 20:00:00',
        expired: false,
        isValid: true,
        unlockPin: expect.stringMatching(/^\d{6}$/),
        usedOn: null,
      },
    ]);
    const second = (await client.post(`/api/appconfiguration/${configurationId}/link`)).body;
    expect(second).toMatchObject({ canChangeConfig: false, expired: false });
    expect(second.branchLink).not.toBe(body.branchLink);
    const read = (await client.get(`/api/appconfiguration/${configurationId}`)).body;
    expect(read.appConfigurationLinks).toEqual([body, second]);
  });

  test('have a link and a PIN only for keys that can record scans', async () => {
    const { configurationId } = await createConfiguration(client);
    const { body: link } = await client.post(`/api/appconfiguration/${configurationId}/link`);
    const readWith = async (scope: string) => {
      const sent = { account: client.accountId, name: scope, scope: [scope] };
      const { apiKey } = await admin<{ apiKey: string }>('api-key create', sent);
      const key = clientOf(client.accountId, apiKey);
      const one = (await key.get(`/api/appconfiguration/${configurationId}`)).body;
      const all: (typeof one)[] = (await key.get('/api/appconfiguration')).body;
      return [one, all.find((listed) => listed.configurationId === configurationId)].map(
        ({ appConfigurationLinks }) => appConfigurationLinks,
      );
    };
    const hidden = { ...link, branchLink: '', unlockPin: '' };
    expect(await readWith('scans:read')).toEqual([[hidden], [hidden]]);
    expect(await readWith('scans:write')).toEqual([[link], [link]]);
    expect(await readWith('*')).toEqual([[link], [link]]);
  });

  test('that are past their date have expired', async () => {
    const { configurationId } = await createConfiguration(client);
    const sent = { validTo: '2020-01-01 00:00' };
    const { body } = await client.post(`/api/appconfiguration/${configurationId}/link`, sent);
    expect(body).toMatchObject({ expired: true, isValid: false, expirationDate: '2020-01-01 00:00:00' });
  });

  test.each([
    [{ validTo: '2099-02-30 10:00' }, 'validTo: is a date that does not exist; use one such as 2026-12-24 09:10'],
    [{ validTo: 'never' }, 'validTo: must look like 2026-12-24 09:10'],
    [{ canChangeConfig: 'yes' }, 'canChangeConfig'],
  ])('reject %j, naming the field', async (wrong, message) => {
    const { configurationId } = await createConfiguration(client);
    const { status, body } = await client.post(`/api/appconfiguration/${configurationId}/link`, wrong);
    expect([status, body.ErrorMessage]).toEqual([400, expect.stringContaining(message)]);
  });

  test('are secret: neither token nor PIN is in the database in plain text', async () => {
    const { configurationId } = await createConfiguration(client);
    const { body } = await client.post(`/api/appconfiguration/${configurationId}/link`);
    const rows = JSON.stringify(await d1('select * from app_configuration_links where id = ?', [body.identifier]));
    expect(rows).not.toContain(body.branchLink.split('/').at(-1));
    expect(rows).not.toContain(`"${body.unlockPin}"`);
  });

  test('can be deleted by their account', async () => {
    const { configurationId } = await createConfiguration(client);
    const { identifier } = (await client.post(`/api/appconfiguration/${configurationId}/link`)).body;
    const path = `/api/appconfiguration/${configurationId}/link/${identifier}` as const;
    expect((await (await freshAccount()).delete(path)).status).toBe(404);
    const deleted = await client.delete(path);
    expect([deleted.status, deleted.body]).toEqual([200, undefined]);
    expect((await client.delete(path)).status).toBe(404);
    expect((await client.get(`/api/appconfiguration/${configurationId}`)).body.appConfigurationLinks).toEqual([]);
  });
});
