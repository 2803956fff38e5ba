import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, send } from '../../../support/api.ts';
import { d1, eventually } from '../../../support/control.ts';
import { GoogleStandIn } from '../../../support/google-stand-in.ts';

let google: GoogleStandIn;
let client: Client;
let templateId: string;
beforeAll(async () => {
  google = await GoogleStandIn.open();
  client = await freshAccount();
  await google.admit(client);
  templateId = await client.createTemplate();
});
afterAll(() => google.close());

test('smoke', async () => {
  const pass = await client.createPass(templateId);
  const { walletSaveUri } = (await client.get(`/api/pass/geturis/${pass.identifier}`)).body;
  google.saveByLink(walletSaveUri);
  const reply = await google.tell(pass.identifier, 'save');
  expect([reply.status, reply.body]).toEqual([200, undefined]);
  const { body } = await client.get(`/api/pass/${pass.identifier}`);
  expect([body.numberOfActive, body.numberOfInactive]).toEqual([1, 0]);
  await eventually(async () => (await d1<any>('select google_published_at p from passes where id=?', [pass.identifier]))[0].p > 0);
  expect(google.object(pass.identifier)).toMatchObject({ state: 'ACTIVE' });
  console.log(google.calls, google.tokensGiven);
});
