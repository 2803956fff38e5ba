import { beforeAll, describe, expect, test } from 'vitest';
import { createDevelopmentAuthority } from '../../../scripts/development-ca.ts';
import { admin, type Client, freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { ended } from '../../support/processes.ts';
import { SAMPLE_FLIGHT, type TemplateInput } from '../../support/samples.ts';
import { PASS_TYPE_ID } from '../../support/start-worker.ts';
import { authorizationOf, Device } from '../../wallets/apple/web-service/device.ts';

let client: Client;
let projectId: string;
beforeAll(async () => {
  client = await freshAccount();
  projectId = (await client.post('/api/v3/project', { name: 'Moves' })).body.data.identifier;
});

const template = (overrides: Partial<TemplateInput> = {}) => client.createTemplate({ projectId, ...overrides });
const move = (pass: string, target: string) => client.post(`/api/v2/pass/${pass}/movetotemplate/${target}`);
const read = async (pass: string) => (await client.get(`/api/pass/${pass}?includeFieldMapping=true`)).body;
const named = async (pass: string) =>
  (await client.get(`/api/v3/pass/${pass}?formatKeyAdditionalProperties=name`)).body.data;
const total = async (id: string) => (await client.get(`/api/pass/list/${id}`)).body.total;
const eventsOf = async (pass: string) =>
  (await d1<{ type: string }>('select type from account_events where pass_id = ? order by id', [pass])).map(
    ({ type }) => type,
  );

describe('maxPasses', () => {
  test('a move takes the last free place, and the next one is rejected', async () => {
    const [from, to] = await Promise.all([template(), template({ maxPasses: 1 })]);
    const [first, second] = [await client.createPass(from), await client.createPass(from)];
    expect((await move(first.identifier, to)).status).toBe(200);
    const refused = await move(second.identifier, to);
    expect([refused.status, refused.body.errors[0]]).toEqual([400, expect.stringContaining('maximum number')]);
    expect([await total(from), await total(to)]).toEqual([1, 1]);
    expect(await eventsOf(first.identifier)).toEqual(['pass_created', 'pass_updated']);
    expect(await eventsOf(second.identifier)).toEqual(['pass_created']);
  });

  test('of 20 simultaneous moves, as many succeed as there are places, with exact counts and events', async () => {
    const [from, to] = await Promise.all([template(), template({ maxPasses: 7 })]);
    const passes = await Promise.all(Array.from({ length: 20 }, () => client.createPass(from)));
    const replies = await Promise.all(passes.map(({ identifier }) => move(identifier, to)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(13);
    expect([await total(from), await total(to)]).toEqual([13, 7]);
    const ids = JSON.stringify(passes.map(({ identifier }) => identifier));
    const told =
      "select 1 from account_events where type = 'pass_updated' and pass_id in (select value from json_each(?))";
    expect(await d1(told, [ids])).toHaveLength(7);
  });
});

describe('the number of a template’s active passes', () => {
  const kept = async (...ids: string[]) => {
    const rows = await d1<{ id: string; active: number }>(
      'select template_id as id, active from active_pass_counts where template_id in (select value from json_each(?))',
      [JSON.stringify(ids)],
    );
    return ids.map((id) => rows.find((row) => row.id === id)?.active);
  };
  const counted = async (...ids: string[]) => {
    const rows = await d1<{ active: number }>(
      `select count(passes.id) as active from json_each(?) as template
       left join passes on template_id = template.value and number_of_active > 0 group by template.key order by template.key`,
      [JSON.stringify(ids)],
    );
    return rows.map(({ active }) => active);
  };

  test('changes with an active pass, however many devices have it, but not with other passes', async () => {
    const [from, to] = await Promise.all([template(), template()]);
    const [held, other] = [await client.createPass(from), await client.createPass(from)];
    const device = new Device();
    await device.register(held);
    await new Device().register(held);
    await device.register(other);
    await device.unregister(other);
    await move(other.identifier, to);
    expect(await kept(from, to)).toEqual([1, undefined]);
    await move(held.identifier, to);
    expect(await kept(from, to)).toEqual([0, 1]);
    await move(held.identifier, from);
    expect(await kept(from, to)).toEqual([1, 0]);
  });

  test('changes with passes that reach a tier together', async () => {
    const gold = await template();
    const tiers = [{ minimumValue: 100, templateId: gold }];
    const loyal = await template({ passFunctionality: { type: 'loyalty', tiers } });
    const passes = await Promise.all(Array.from({ length: 5 }, () => client.createPass(loyal)));
    for (const pass of passes.slice(0, 3)) await new Device().register(pass);
    const identifiers = passes.slice(1).map(({ identifier }) => identifier);
    const changes = { data: { storedValue: 100 }, filter: { identifiers } };
    await ended(client, await client.patch('/api/v3/pass/bulk', changes));
    expect(await kept(loyal, gold)).toEqual([1, 2]);
  });

  test('stays exact if devices register and unregister while passes move and end', async () => {
    const ids = await Promise.all([template(), template()]);
    const passes = await Promise.all(Array.from({ length: 12 }, () => client.createPass(ids[0]!)));
    await Promise.all(passes.map(authorizationOf));
    const devices = passes.map(() => [new Device(), new Device()]);
    for (const [i, pass] of passes.entries()) if (i % 2 === 0) await devices[i]![0]!.register(pass);
    await Promise.all(
      passes.flatMap((pass, i) => [
        devices[i]![0]!.unregister(pass),
        devices[i]![1]!.register(pass),
        move(pass.identifier, ids[1]!),
        devices[i]![1]!.unregister(pass),
        move(pass.identifier, ids[0]!),
        devices[i]![0]!.register(pass),
        ...(i % 3 === 0 ? [client.delete(`/api/pass/${pass.identifier}`)] : []),
      ]),
    );
    expect((await kept(...ids)).map((active) => active ?? 0)).toEqual(await counted(...ids));
    for (const [i, pass] of passes.entries()) {
      for (const device of devices[i]!) await device.unregister(pass);
    }
    expect((await kept(...ids)).map((active) => active ?? 0)).toEqual([0, 0]);
  });
});

describe('values', () => {
  const both: Partial<TemplateInput> = {
    additionalProperties: [{ name: 'Full name' }, { name: 'Level', default: 'Basic' }],
  };

  test('are the current ones on the way back, even if one was cleared', async () => {
    const [here, there] = await Promise.all([template(both), template(both)]);
    const { identifier } = await client.createPass(here, { 'Full name': 'Ada', Level: 'Gold' });
    await move(identifier, there);
    await client.patch(`/api/v3/pass/${identifier}`, { data: { 'Full name': 'Grace', Level: null } });
    await move(identifier, here);
    const { passFieldData, fieldMapping } = await read(identifier);
    expect(passFieldData[fieldMapping['Full name']]).toBe('Grace');
    expect(passFieldData[fieldMapping.Level]).toBe('Basic');
  });

  test('are kept if the target does not have them', async () => {
    const [here, bare] = await Promise.all([template(both), template({ additionalProperties: [] })]);
    const { identifier } = await client.createPass(here, { 'Full name': 'Ada' });
    await move(identifier, bare);
    expect(await named(identifier)).not.toHaveProperty('Full name');
    await move(identifier, here);
    expect(await named(identifier)).toMatchObject({ 'Full name': 'Ada', Level: 'Basic' });
  });

  test('that the target requires must be present', async () => {
    const [here, strict] = await Promise.all([
      template(both),
      template({ additionalProperties: [{ name: 'Seat', required: true }] }),
    ]);
    const { identifier } = await client.createPass(here);
    const refused = await move(identifier, strict);
    expect([refused.status, refused.body.errors]).toEqual([400, ['Seat: is required']]);
    expect((await read(identifier)).passTemplateGuid).toBe(here);
  });
});

describe('the certificate', () => {
  test('must be the same for both templates', async () => {
    const authority = { passTypeId: 'pass.com.example.other', teamId: 'TEAM000000', organizationName: 'Other' };
    const { rootPem: _, ...files } = await createDevelopmentAuthority(authority);
    await admin('certificate import', { account: client.accountId, ...files, development: true });
    const own = { passTypeId: authority.passTypeId };
    const [shared, other, same] = await Promise.all([
      template({ passTypeId: PASS_TYPE_ID }),
      template(own),
      template(own),
    ]);
    const { identifier } = await client.createPass(other);
    const refused = await move(identifier, shared);
    expect([refused.status, refused.body.errors[0]]).toEqual([400, expect.stringContaining('signing certificate')]);
    expect((await move(identifier, same)).status).toBe(200);

    const tiers = [{ minimumValue: 10, templateId: shared }];
    const climbing = await template({ ...own, passFunctionality: { type: 'loyalty', tiers } });
    const held = await client.createPass(climbing, { storedValue: 1 });
    const stopped = await client.patch(`/api/v3/pass/${held.identifier}`, { data: { storedValue: 10 } });
    expect([stopped.status, stopped.body.errors]).toEqual([
      400,
      [expect.stringMatching(/^data\.storedValue: .*signing certificate/)],
    ]);
    expect(await read(held.identifier)).toMatchObject({ passTemplateGuid: climbing, storedValue: 1 });
    await client.patch(`/api/v2/pass-template/${climbing}`, {
      passFunctionality: { type: 'loyalty', tiers: [{ minimumValue: 10, templateId: same }] },
    });
    await client.post(`/api/v2/pass-template/${climbing}/publish`, {});
    expect((await client.patch(`/api/v3/pass/${held.identifier}`, { data: { storedValue: 10 } })).status).toBe(200);
    expect(await read(held.identifier)).toMatchObject({ passTemplateGuid: same, storedValue: 10 });
  });
});

describe('flights', () => {
  const air: Partial<TemplateInput> = { type: 'boardingPass', transitType: 'PKTransitTypeAir' };

  test('move along only to another air boarding pass', async () => {
    const [one, other, plain] = await Promise.all([template(air), template(air), template()]);
    const { identifier } = await client.createPass(one, SAMPLE_FLIGHT);
    await move(identifier, other);
    expect(await read(identifier)).toMatchObject(SAMPLE_FLIGHT);
    await move(identifier, plain);
    expect(await read(identifier)).not.toHaveProperty('flightNumber');
    expect(await named(identifier)).not.toHaveProperty('flightNumber');
  });

  test('are required of a pass that becomes an air boarding pass', async () => {
    const [plain, one] = await Promise.all([template(), template(air)]);
    const { identifier } = await client.createPass(plain);
    const refused = await move(identifier, one);
    expect(refused.status).toBe(400);
    for (const field of Object.keys(SAMPLE_FLIGHT)) expect(refused.body.errors.join()).toContain(field);
  });
});
