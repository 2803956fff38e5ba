import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount, send } from '../support/api.ts';
import { eventually, filesHolding, linkTokens, logged, storedKeys } from '../support/control.ts';
import { inboxOf } from '../support/dev-inbox.ts';
import { type OutsideRequest, type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { ended } from '../support/processes.ts';
import { columnsHolding } from '../support/remains.ts';
import { sampleTemplate } from '../support/samples.ts';
import { deliveriesWhen, subscribed, told } from '../support/webhooks.ts';
import { unzip } from '../wallets/apple/tools.ts';
import { Device } from '../wallets/apple/web-service/device.ts';

/*
 * A copy of the database and the files is not enough to open a pass's links (docs/adr/0001-link-tokens-at-rest.md).
 */

type Path = `/${string}`;

/** The dev inbox stores what a local service would send; a deployment has none. */
const IS_DEV_INBOX = { table: 'outbox_items', files: 'outbox/' };

/** The token of each link, by what the link opens. */
const tokens = new Map<string, string>();
const tokenOf = (link: string) => /([\w-]{22,25})(?:\.\w+)?$/.exec(new URL(link).pathname)![1]!;
const pathOf = (link: string) => new URL(link).pathname as Path;

let client: Client;
let templateId: string;
let receiver: OutsideServer;
beforeAll(async () => {
  client = await freshAccount();
  receiver = await openOutsideServer(({ path, body }) => {
    const text = body.toString();
    return path === '/refusing' ? { status: 400, body: text.slice(text.indexOf('"linkToPassPage"')) } : {};
  });
  const text = 'See {downloadPage}';
  const { body } = await client.post(
    '/api/v2/pass-template',
    sampleTemplate({
      fields: { backFields: [{ key: 'page', type: 'text', label: 'Page', value: text }] },
      sendoutOptions: {
        passCreationNotification: { subject: `Your pass ${text}`, emailTemplate: text },
        sms: { text },
      },
    }),
  );
  templateId = body.data.identifier;
  await subscribed(client, `${receiver.origin}/messages`, { event: 'message_sent' });
});
afterAll(() => receiver.close());

/** Records the tokens in a pass's links, as in replies and its file. */
async function keepTokens(name: string, pass: CreatedPass): Promise<void> {
  tokens.set(`${name}: page`, tokenOf(pass.linkToPassPage));
  tokens.set(`${name}: file`, tokenOf(pass.linkToPassFile));
  const { body } = await send('GET', pathOf(pass.linkToPassFile));
  const json = JSON.parse(unzip(body).get('pass.json')!.toString());
  tokens.set(`${name}: authentication`, json.authenticationToken);
  expect(await linkTokens(pass.identifier)).toMatchObject({
    file: tokenOf(pass.linkToPassFile),
    authentication: json.authenticationToken,
  });
}

const IS_SYSTEM = /^sqlite/;
const columnsContaining = (texts: string[]) => columnsHolding(texts, (table) => !IS_SYSTEM.test(table));

describe('tokens of links', () => {
  test('of passes created in each way', async () => {
    const email = `ada.${crypto.randomUUID()}@example.com`;
    const recipients = { emailRecipient: email, phoneRecipient: '+436601234567' };
    await keepTokens('v1', await client.createPass(templateId, { 'Full name': 'Ada', ...recipients }));
    const { subject } = (await inboxOf(email))[0]!;
    expect(subject).toContain(tokens.get('v1: page')!);
    const isMail = (request: OutsideRequest) => request.path === '/messages' && told(request).channel === 'email';
    const [message] = await receiver.received(1, isMail);
    expect(told(message!).subject).toBe(subject);
    const { body } = await client.post(
      '/api/v3/pass?async=false',
      { data: { templateId } },
      { 'Idempotency-Key': 'a' },
    );
    const read = async (id: string) => (await client.get(`/api/pass/${id}`)).body as CreatedPass;
    await keepTokens('v3', await linksOf(body.data.identifier));
    expect((await read(body.data.identifier)).linkToPassPage).toContain(tokens.get('v3: page')!);
    const passes = Array.from({ length: 3 }, (_, i) => ({ userProvidedId: `bulk-${i}` }));
    await ended(client, await client.post('/api/v3/pass/bulk/create', { templateId, passes }));
    await keepTokens('bulk', await linksOf('bulk-1'));
  });

  test('of bundles, and of passes that joined one later', async () => {
    const first = await client.createPass(templateId, { bundleId: 'family' });
    tokens.set('bundle', tokenOf(first.linkToPassPage));
    const second = await client.createPass(templateId);
    await keepTokens('joined', second);
    const { body } = await client.post('/api/v2/pass-bundle/family', { passes: [second.identifier] });
    expect(body.data.urlToPass).toBe(first.linkToPassPage);
    expect((await linksOf(second.identifier)).linkToPassPage).toBe(first.linkToPassPage);
    expect((await send('GET', pathOf(first.linkToPassPage))).status).toBe(200);
  });

  test('of passes whose links were rotated', async () => {
    const pass = await client.createPass(templateId);
    await keepTokens('before', pass);
    const { body } = await client.post(`/api/v3/pass/${pass.identifier}/rotate-links`);
    await keepTokens('after', {
      ...pass,
      linkToPassPage: body.data.downloadPage,
      linkToPassFile: body.data.passFileUri,
    });
    expect(tokens.get('after: authentication')).toBe(tokens.get('before: authentication'));
  });

  test('in events that are delivered and pulled', async () => {
    await subscribed(client, `${receiver.origin}/created`);
    const refusing = await subscribed(client, `${receiver.origin}/refusing`);
    await client.post('/api/hook/subscribe', { pullMode: true, event: 'pass_created' });
    const pass = await client.createPass(templateId);
    await keepTokens('told', pass);
    const [request] = await receiver.received(1, ({ path }) => path === '/created');
    expect(told(request!).linkToPassPage).toBe(pass.linkToPassPage);
    const [delivery] = await deliveriesWhen(client, refusing.identifier, ([one]) => one?.attempts.length === 1);
    expect(delivery!.attempts[0]!.answer).toMatch(/^"linkToPassPage":"http.*\/p\/…",/);
    const pulled = await eventually(async () => {
      const { body } = await client.get('/api/v3/webhook-payload');
      return body.data.length > 0 && body.data;
    });
    expect(JSON.stringify(pulled)).toContain(pass.linkToPassPage);
  });

  test('on devices, and in texts for holders', async () => {
    const pass = await client.createPass(templateId);
    await keepTokens('device', pass);
    const device = new Device();
    await device.register(pass);
    const pushNotificationText = 'Look at {downloadPage}';
    const path = `/api/pass/${pass.identifier}/sendpushnotification` as const;
    expect((await client.post(path, { pushNotificationText })).status).toBe(204);
    await logged({ event: 'job', job: 'push-passes' });
    const file = unzip((await device.fetch(pass)).body)
      .get('pass.json')!
      .toString();
    expect(file).toContain(`Look at ${pass.linkToPassPage}`);
  });

  test('are in no column of the database and in no file', async () => {
    await eventually(async () => (await storedKeys('pass-files/')).length >= 4);
    expect(tokens.size).toBeGreaterThan(20);
    const secrets = [...tokens.values()];
    expect((await columnsContaining(secrets)).filter((name) => !name.startsWith(IS_DEV_INBOX.table))).toEqual([]);
    expect((await filesHolding(secrets)).filter((key) => !key.startsWith(IS_DEV_INBOX.files))).toEqual([]);
  });

  test('would be found if they were there', async () => {
    const found = await columnsContaining([templateId]);
    expect(found).toEqual(expect.arrayContaining(['passes.template_id', 'account_events.body']));
    expect(await filesHolding(['PNG'])).not.toEqual([]);
  });
});

/** Returns a pass's links from a v3 export. */
async function linksOf(name: string): Promise<CreatedPass> {
  const { body } = await client.get(`/api/v3/pass/${name}`);
  const { identifier, downloadPage, passFileUri } = body.data;
  return { identifier, linkToPassPage: downloadPage, linkToPassFile: passFileUri } as CreatedPass;
}
