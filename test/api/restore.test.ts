import { beforeAll, describe, expect, test } from 'vitest';
import { versionNumber } from '../../src/domain/versions.ts';
import { type Client, type CreatedPass, freshAccount, send } from '../support/api.ts';
import { d1, eventually } from '../support/control.ts';
import { SimulatedPhone } from '../support/phone.ts';
import type { HeldPass, PassField } from '../support/phone-pass.ts';
import { sampleTemplate } from '../support/samples.ts';

/*
 * Restoring the database to an earlier time (D1 Time Travel) reverts versions, but not phones, R2, Google or isolates'
 * memory. Simulated here by restoring the rows of one account.
 */

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

type Row = Record<string, string | number | null>;

/** Rows of passes and templates that Time Travel would revert, by table and condition. */
const KEPT = {
  passes: 'account_id = ?',
  templates: 'account_id = ?',
  template_versions: 'template_id in (select id from templates where account_id = ?)',
  registrations: 'account_id = ?',
};

/** Saves an account's rows; the returned function restores them. */
async function remember({ accountId }: Client): Promise<() => Promise<void>> {
  const tables = Object.entries(KEPT);
  const kept = await Promise.all(
    tables.map(([table, where]) => d1<Row>(`select * from ${table} where ${where}`, [accountId])),
  );
  return async () => {
    await d1(`delete from template_versions where ${KEPT.template_versions}`, [accountId]);
    for (const [i, [table]] of tables.entries()) {
      for (const row of kept[i]!) {
        const columns = Object.keys(row);
        const values = columns.map(() => '?');
        await d1(`insert or replace into ${table} (${columns}) values (${values})`, Object.values(row));
      }
    }
  };
}

/** Creates a template and a pass on a phone, both a day old. */
async function onPhone(): Promise<{ templateId: string; pass: CreatedPass; phone: SimulatedPhone }> {
  const { fields } = sampleTemplate();
  const level = { key: 'level', type: 'text', label: 'Level', value: '{Level}' } as const;
  const templateId = await client.createTemplate({ logoText: 'First', fields: { ...fields, headerFields: [level] } });
  const pass = await client.createPass(templateId, { 'Full name': 'Ada', Level: 'Silver' });
  await shift(templateId, -DAY_MS);
  const phone = new SimulatedPhone();
  await phone.download(pass.linkToPassPage);
  expect([...(await phone.register()).values()]).toEqual([201]);
  expect(await phone.update()).toMatchObject([{ status: 'unchanged' }]);
  return { templateId, pass, phone };
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Shifts the last changes of a template and its passes by this much, because devices compare whole seconds. */
async function shift(templateId: string, millis: number): Promise<void> {
  await d1('update passes set modified_at = modified_at + ? where template_id = ?', [millis, templateId]);
  await d1('update templates set published_at = published_at + ? where id = ?', [millis, templateId]);
}

const setLevel = async ({ identifier }: CreatedPass, Level: string) => {
  expect((await client.patch(`/api/v3/pass/${identifier}`, { data: { Level } })).status).toBe(200);
};
const publish = async (templateId: string, logoText: string) => {
  expect((await client.patch(`/api/v2/pass-template/${templateId}`, { logoText })).status).toBe(200);
  expect((await client.post(`/api/v2/pass-template/${templateId}/publish`)).status).toBe(201);
};
const versionsOf = async ({ identifier }: CreatedPass) => {
  const [row] = await d1<{ pass: number; template: number }>(
    `select passes.version as pass, templates.published_version as template
     from passes join templates on templates.id = template_id where passes.id = ?`,
    [identifier],
  );
  return [row!.pass, versionNumber(row!.template)];
};

/** Returns level and logo text of the pass on a phone. */
const heldBy = (phone: SimulatedPhone) => {
  const [{ content, style }] = [...phone.passes.values()] as [HeldPass];
  const { headerFields } = content[style] as { headerFields: PassField[] };
  return [headerFields.find(({ key }) => key === 'level')?.value, content.logoText];
};
const pageOf = async ({ linkToPassPage }: CreatedPass) => (await send('GET', linkToPassPage as '/')).body as string;

/** Returns what Google last received for a pass; a local service stores it. */
const atGoogle = async ({ identifier }: CreatedPass) => {
  const [row] = await d1<{ details: string }>(
    `select details from outbox_items where kind = 'google' and subject = 'object' and recipient like '%' || ?
     order by key desc limit 1`,
    [identifier],
  );
  return row?.details;
};

describe('after a restore', () => {
  test('phone, page and file show the restored pass', async () => {
    const { pass, phone } = await onPhone();
    const restore = await remember(client);
    await setLevel(pass, 'Gold');
    expect(await phone.update()).toMatchObject([{ status: 'updated' }]);
    expect(heldBy(phone)).toEqual(['Gold', 'First']);
    expect(await pageOf(pass)).toContain('Gold');
    const link = pass.linkToPassFile as '/';
    const { headers } = await send('GET', link);

    await restore();
    expect(await pageOf(pass)).not.toContain('Gold');
    for (const [name, value] of [
      ['If-None-Match', headers.get('ETag')!],
      ['If-Modified-Since', headers.get('Last-Modified')!],
    ] as const) {
      expect((await send('GET', link, undefined, { [name]: value })).status, name).toBe(200);
    }
    expect(await phone.update()).toMatchObject([{ status: 'updated' }]);
    expect(heldBy(phone)).toEqual(['Silver', 'First']);
    expect(await phone.update()).toEqual([]);
  });

  test('and another change that reaches the same version, phone, page, file and Google show that change', async () => {
    const { templateId, pass, phone } = await onPhone();
    const restore = await remember(client);
    await setLevel(pass, 'Gold');
    expect(await phone.update()).toMatchObject([{ status: 'updated' }]);
    const versions = await versionsOf(pass);
    const tag = (await send('GET', pass.linkToPassFile as '/')).headers.get('ETag')!;
    await eventually(async () => (await atGoogle(pass))?.includes('Gold'));

    await restore();
    await setLevel(pass, 'Bronze');
    await shift(templateId, HOUR_MS);
    expect(await versionsOf(pass)).toEqual(versions);
    expect(await phone.update()).toMatchObject([
      { status: 'updated', changes: [{ key: 'level', from: 'Gold', to: 'Bronze' }] },
    ]);
    expect(await pageOf(pass)).toContain('Bronze');
    const reply = await send('GET', pass.linkToPassFile as '/', undefined, { 'If-None-Match': tag });
    expect([reply.status, reply.headers.get('ETag') === tag]).toEqual([200, false]);
    await eventually(async () => (await atGoogle(pass))?.includes('Bronze'));
  });

  test('and another change of the template, nothing shows the reverted definition', async () => {
    const { templateId, pass, phone } = await onPhone();
    const shownDefinition = async () => (await client.get(`/api/v2/pass-template/${templateId}/describe`)).body.data;
    const restore = await remember(client);
    await publish(templateId, 'Second');
    expect(await phone.update()).toMatchObject([{ status: 'updated' }]);
    expect(heldBy(phone)).toEqual(['Silver', 'Second']);
    expect((await shownDefinition()).logoText).toBe('Second');
    const versions = await versionsOf(pass);

    await restore();
    expect((await shownDefinition()).logoText).toBe('First');
    await publish(templateId, 'Third');
    await shift(templateId, HOUR_MS);
    expect(await versionsOf(pass)).toEqual(versions);
    expect((await shownDefinition()).logoText).toBe('Third');
    expect(await phone.update()).toMatchObject([{ status: 'updated' }]);
    expect(heldBy(phone)).toEqual(['Silver', 'Third']);
    const made = await client.createPass(templateId);
    const other = new SimulatedPhone();
    await other.download(made.linkToPassPage);
    expect(heldBy(other)[1]).toBe('Third');
  });

  test('alone, the restored template applies, and the phone updates to it', async () => {
    const { templateId, pass, phone } = await onPhone();
    const restore = await remember(client);
    await publish(templateId, 'Second');
    expect(await phone.update()).toMatchObject([{ status: 'updated' }]);
    await restore();
    expect(await phone.update()).toMatchObject([{ status: 'updated' }]);
    expect(heldBy(phone)).toEqual(['Silver', 'First']);
    expect((await client.get(`/api/v3/pass/${pass.identifier}`)).status).toBe(200);
  });
});
