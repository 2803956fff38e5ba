import { beforeEach, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount, type Reply } from '../../support/api.ts';
import { ended } from '../../support/processes.ts';
import type { TemplateInput } from '../../support/samples.ts';

/*
 * A dry run says what the same call would do: also to passes that compete with earlier ones of the call for a place, a
 * name or a unique value.
 */

const BULK = '/api/v3/pass/bulk';

let client: Client;
beforeEach(async () => {
  client = await freshAccount();
});

type Errors = Record<string, string> | null;

/** Returns the errors of a dry run, after checking that the call then has the same. */
async function errorsOf(send: (dryRun: boolean) => Promise<Reply>): Promise<Errors> {
  const { status, body } = await send(true);
  expect([status, body.data]).toEqual([200, expect.objectContaining({ dryRun: true })]);
  const { errors } = await ended(client, await send(false));
  expect(body.data.errors).toEqual(errors ?? null);
  return body.data.errors;
}

const creating = (templateId: string, passes: object[]) =>
  errorsOf((dryRun) => client.post(`${BULK}/create`, { templateId, passes, dryRun }));
const updating = (passes: { identifier: string; data: object }[]) =>
  errorsOf((dryRun) => client.patch(BULK, { passes, dryRun }));

const SEATS: Partial<TemplateInput> = { additionalProperties: [{ name: 'Seat', unique: true }] };

describe('a dry run of a create reports', () => {
  test('passes beyond the maximum of the template', async () => {
    const templateId = await client.createTemplate({ maxPasses: 3 });
    await client.createPass(templateId);
    const full = 'The maximum number of passes of this template (3) is reached';
    expect(await creating(templateId, [{}, {}, {}, {}])).toEqual({ 2: full, 3: full });
  });

  test('passes without a custom number, although some numbers are used', async () => {
    const templateId = await client.createTemplate({ customNumberRange: { from: 5, to: 8 } });
    await client.createPass(templateId);
    const none = 'No custom number is available in the range 5 to 8';
    const passes = [{}, { barcodeValue: 'own' }, {}, {}, {}];
    expect(await creating(templateId, passes)).toEqual({ 4: none });
  });

  test('an eleventh pass of a bundle', async () => {
    const templateId = await client.createTemplate({});
    for (let i = 0; i < 9; i++) await client.createPass(templateId, { bundleId: 'family' });
    expect(await creating(templateId, Array(3).fill({ bundleId: 'family' }))).toEqual({
      1: expect.stringContaining('bundleId: the bundle already has 10 passes'),
      2: expect.stringContaining('bundleId: the bundle already has 10 passes'),
    });
  });

  test('passes beyond the quota of the account', async () => {
    const templateId = await client.createTemplate({});
    await admin('account update', { id: client.accountId, 'passes-max': '2' });
    expect(await creating(templateId, [{}, {}, {}])).toEqual({ 2: 'quota exceeded: passes' });
  });

  test('a unique value that an earlier pass of the call has, however far apart they are', async () => {
    const templateId = await client.createTemplate(SEATS);
    const passes = Array.from({ length: 150 }, (_, i) => ({ Seat: String(i === 149 ? 0 : i) }));
    expect(await creating(templateId, passes)).toEqual({ 149: 'Seat: the value must be unique' });
  });

  test('a userProvidedId that an earlier pass has, if it must be unique', async () => {
    const strict = await client.createTemplate({ enforceUniqueUserProvidedId: true });
    const taken = expect.stringContaining('is already used in this template');
    const names = ['a', 'b', 'a'].map((userProvidedId) => ({ userProvidedId }));
    expect(await creating(strict, names)).toEqual({ 2: taken });
    const lax = await client.createTemplate({});
    const own = { userProvidedId: 'c', enforceUniqueUserProvidedId: true };
    expect(await creating(lax, [{ userProvidedId: 'c' }, { userProvidedId: 'c' }, own])).toEqual({
      2: expect.stringContaining('is already used in this account'),
    });
  });

  test('nothing of a pass that takes the place of a rejected one', async () => {
    const templateId = await client.createTemplate({ maxPasses: 1, ...SEATS });
    expect(await creating(templateId, [{ storedValue: 'much', Seat: '1' }, { Seat: '1' }])).toEqual({
      0: expect.stringContaining('storedValue'),
    });
  });
});

describe('a dry run of an update reports', () => {
  test('a unique value that two passes get, and none that an earlier pass gives up', async () => {
    const templateId = await client.createTemplate(SEATS);
    const [one, two, three] = await Promise.all(
      ['1', '2', '3'].map(async (Seat) => (await client.createPass(templateId, { Seat })).identifier),
    );
    const seat = (identifier: string, Seat: string) => ({ identifier, data: { Seat } });
    expect(await updating([seat(one!, '4'), seat(two!, '1'), seat(three!, '2')])).toBeNull();
    expect(await updating([seat(one!, '9'), seat(two!, '9')])).toEqual({ [two!]: 'Seat: the value must be unique' });
  });

  test('an eleventh pass of a bundle', async () => {
    const templateId = await client.createTemplate({});
    for (let i = 0; i < 9; i++) await client.createPass(templateId, { bundleId: 'family' });
    const [one, two] = await Promise.all([client.createPass(templateId), client.createPass(templateId)]);
    const joining = [one, two].map(({ identifier }) => ({ identifier, data: { bundleId: 'family' } }));
    expect(await updating(joining)).toEqual({ [two.identifier]: expect.stringContaining('already has 10 passes') });
  });
});
