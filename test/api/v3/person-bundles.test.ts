import { expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { ended } from '../../support/processes.ts';
import { columnsHolding } from '../../support/remains.ts';

/* What an erasure does with bundles that are named by a value of the person. */

const word = () => `z${crypto.randomUUID().replaceAll('-', '')}`;
const erase = async (client: Client, emailRecipient: string, mode: string) => {
  const process = await ended(client, await client.post('/api/v3/person/erase', { match: { emailRecipient }, mode }));
  expect(process).toMatchObject({ status: 'finished', errors: null, current: 1 });
};
/** Columns that hold the text, without the inbox of a development service. */
const remains = (text: string) => columnsHolding([text], (table) => !/^(outbox_items|pass_terms|metric_)/.test(table));
/** Creates an account with a bundle of one pass, whose recipient names the bundle. */
async function namedBundle() {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const mailbox = word();
  const email = `${mailbox}@example.com`;
  const bundleId = `family-of-${email.toUpperCase()}`;
  const { identifier } = await client.createPass(templateId, { emailRecipient: email });
  const bundle = encodeURIComponent(bundleId);
  expect((await client.post(`/api/v2/pass-bundle/${bundle}`, { passes: [identifier] })).status).toBe(200);
  expect((await client.put(`/api/v2/pass-bundle/void/${bundle}`, { voided: true })).status).toBe(200);
  return { client, templateId, email, mailbox, bundleId, identifier };
}
const bundleOf = async (client: Client, id: string) => (await client.get(`/api/v3/pass/${id}`)).body.data?.bundleId;

test.each(['delete', 'anonymize'])('in mode %s the identifier is erased with the person', async (mode) => {
  const { client, email, mailbox, identifier } = await namedBundle();
  expect(await remains(mailbox)).toEqual(expect.arrayContaining(['bundle_links.bundle_id', 'audit_entries.target_id']));
  await erase(client, email, mode);
  expect(await remains(mailbox)).toEqual([]);
  expect(await bundleOf(client, identifier)).toBe(mode === 'delete' ? undefined : null);
  const targets = await d1<{ action: string; target_id: string }>(
    "select action, target_id from audit_entries where account_id = ? and action like 'bundle.%'",
    [client.accountId],
  );
  expect(targets.length).toBeGreaterThan(1);
  expect(new Set(targets.map(({ target_id }) => target_id))).toEqual(new Set(['erased']));
});

test('a bundle with a pass of another person keeps its identifier', async () => {
  const { client, templateId, email, bundleId, identifier } = await namedBundle();
  const other = await client.createPass(templateId, { bundleId });
  await erase(client, email, 'anonymize');
  expect(await bundleOf(client, identifier)).toBeNull();
  expect(await bundleOf(client, other.identifier)).toBe(bundleId);
  const { body } = await client.get(`/api/v2/pass-bundle/${encodeURIComponent(bundleId)}`);
  expect(body.data.passes).toEqual([other.identifier]);
});

test('a bundle with a name of its own stays', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const [emailRecipient, bundleId] = [`${word()}@example.com`, word()];
  const { identifier } = await client.createPass(templateId, { emailRecipient, bundleId });
  await erase(client, emailRecipient, 'anonymize');
  expect(await bundleOf(client, identifier)).toBe(bundleId);
});

test('a bundle with passes of the person in several ranges is erased, too', async () => {
  const { client, templateId, email, mailbox, bundleId } = await namedBundle();
  // A range has 50 passes.
  const passes = Array.from({ length: 120 }, () => ({ emailRecipient: email }));
  await ended(client, await client.post('/api/v3/pass/bulk/create', { templateId, passes }));
  for (let i = 0; i < 3; i++) await client.createPass(templateId, { emailRecipient: email, bundleId });
  const erased = await client.post('/api/v3/person/erase', { match: { emailRecipient: email } });
  expect(await ended(client, erased)).toMatchObject({ status: 'finished', errors: null, current: 124 });
  expect(await remains(mailbox)).toEqual([]);
});
