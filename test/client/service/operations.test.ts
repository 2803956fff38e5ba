import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Pages, PassWallet, type PassWalletOptions } from '../../../client/src/index.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { eventually } from '../../support/control.ts';
import { openOutsideServer } from '../../support/outside-server.ts';

/* The client with the real service: lists, retries, and writes that must happen once. */

let account: Client;
let templateId: string;
let wallet: PassWallet;
beforeAll(async () => {
  account = await freshAccount();
  templateId = await account.createTemplate();
  wallet = walletOf(account);
});

const walletOf = ({ apiKey }: Client, options: Partial<PassWalletOptions> = {}) =>
  new PassWallet({ baseUrl: inject('worker').origin, apiKey, backOffMs: 1, ...options });

/** Creates a client whose first attempt of each call reaches the service, but loses the reply. */
function forgetfulWallet(of: Client) {
  const seen = new Set<string>();
  let sent = 0;
  const fetch = async (url: string, init: RequestInit) => {
    sent++;
    const reply = await globalThis.fetch(url, init);
    const key = new Headers(init.headers).get('Idempotency-Key')!;
    if (seen.has(key)) return reply;
    seen.add(key);
    await reply.arrayBuffer();
    throw new TypeError('socket hang up');
  };
  return { wallet: walletOf(of, { fetch }), sent: () => sent };
}

async function countsOf<Page, Item>(pages: Pages<Page, Item>, items: (page: Page) => Item[]): Promise<number[]> {
  const counts: number[] = [];
  for await (const page of pages) counts.push(items(page).length);
  return counts;
}

async function all<T>(walk: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of walk) found.push(one);
  return found;
}

describe('a call', () => {
  test('of each version writes and reads', async () => {
    const passV1 = await wallet.createPass({
      query: { passtemplate: templateId, integrationStyle: true },
      body: { 'Full name': 'Ada Lovelace' },
    });
    const body = { data: { templateId, 'Full name': 'Grace Hopper' } };
    const { data: passV3 } = await wallet.createPassV3({ query: { async: false }, body });
    const bundle = await wallet.createBundle({ body: { passes: [passV1.identifier, passV3.identifier] } });
    expect(bundle.success).toBe(true);
    await wallet.updatePassV3({ path: { id: passV3.identifier }, body: { data: { storedValue: 7 } } });
    const { data: read } = await wallet.readPassV3({ path: { id: passV3.identifier } });
    expect(read).toMatchObject({ storedValue: 7, voided: false });
    expect(await wallet.deletePass({ path: { id: passV1.identifier } })).toBeUndefined();
    await expect(wallet.readPass({ path: { id: passV1.identifier } })).rejects.toMatchObject({
      status: 404,
      issues: [{ path: '', message: 'Object not found' }],
    });
  });

  test('that is rejected names the field in each version', async () => {
    const data = { expirationDate: 'tomorrow' };
    const ofV1 = () => wallet.createPass({ query: { passtemplate: templateId, integrationStyle: true }, body: data });
    const ofV3 = () => wallet.createPassV3({ body: { data: { templateId, ...data } } });
    const message = expect.stringMatching(/^must look like 2/);
    await expect(ofV1()).rejects.toMatchObject({ status: 400, issues: [{ path: 'expirationDate', message }] });
    await expect(ofV3()).rejects.toMatchObject({ status: 400, issues: [{ path: 'data.expirationDate', message }] });
    await expect(ofV3()).rejects.toHaveProperty('requestId', expect.stringMatching(/.+/));
  });

  test('reads what the previous call has written, through the bookmark', async () => {
    const sent: (string | null)[] = [];
    const received: (string | null)[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      sent.push(new Headers(init.headers).get('X-D1-Bookmark'));
      const reply = await globalThis.fetch(url, init);
      received.push(reply.headers.get('X-D1-Bookmark'));
      return reply;
    };
    const own = walletOf(account, { fetch });
    const { data: pass } = await own.createPassV3({ body: { data: { templateId } } });
    await own.readPassV3({ path: { id: pass.identifier } });
    expect(received[0]).toMatch(/^[0-9a-f-]+$/);
    expect(sent).toEqual([null, received[0]]);
  });
});

describe('a create whose reply is lost', () => {
  test.each([
    ['a project', (own: PassWallet) => own.createProject({ body: { name: 'Festival' } }), 'listProjects'],
    ['an API key', (own: PassWallet) => own.createApiKey({ body: { name: 'Shop' } }), 'listApiKeys'],
    [
      'a segment',
      (own: PassWallet) => own.createSegment({ body: { title: 'Gold', query: { searchPhrase: 'gold' } } }),
      'listSegments',
    ],
  ] as const)('creates %s once', async (_, create, list) => {
    const fresh = await freshAccount();
    const { wallet: own, sent } = forgetfulWallet(fresh);
    const count = async () => (await all<unknown>(walletOf(fresh)[list]().items())).length;
    const before = await count();
    expect((await create(own)).data).toBeDefined();
    expect(sent()).toBe(2);
    expect(await count()).toBe(before + 1);
  });

  test('creates 50 passes for 50 simultaneous calls', async () => {
    const fresh = await freshAccount();
    const body = { data: { templateId: await fresh.createTemplate() } };
    const { wallet: own, sent } = forgetfulWallet(fresh);
    const created = await Promise.all(Array.from({ length: 50 }, () => own.createPassV3({ body })));
    expect(sent()).toBe(100);
    expect(new Set(created.map(({ data }) => data.identifier)).size).toBe(50);
    const listed = await all(
      walletOf(fresh)
        .listPassesV3({ query: { pageSize: 20 } })
        .items(),
    );
    expect(listed.map(({ identifier }) => identifier).sort()).toEqual(
      created.map(({ data }) => data.identifier).sort(),
    );
  });
});

describe('a list of more than one page', () => {
  let own: PassWallet;
  let template: string;
  let passIds: string[];
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const fresh = await freshAccount();
    own = walletOf(fresh);
    template = await fresh.createTemplate();
    passIds = [];
    for (const userProvidedId of ['one', 'two', 'three']) {
      const { data } = await own.createPassV3({ body: { data: { templateId: template, userProvidedId } } });
      passIds.push(data.identifier);
    }
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  const data = <Item>({ data: items }: { data: Item[] }) => items;
  const results = <Item>({ results: items }: { results: Item[] }) => items;

  test('of passes, in both versions and as a search', async () => {
    const pageSize = 2;
    expect(await countsOf(own.listPasses({ path: { template }, query: { pageSize } }), results)).toEqual([2, 1]);
    expect(await countsOf(own.listPassesV3({ query: { pageSize } }), data)).toEqual([2, 1]);
    const body = { groups: [[{ field: 'templateId', operator: 'equals', value: template }]], pageSize };
    expect(await countsOf(own.searchPasses({ body }), data)).toEqual([2, 1]);
    const found = await all(own.searchPasses({ body }).items());
    expect(found.map(({ identifier }) => identifier).sort()).toEqual(passIds.toSorted());
  });

  test('of scans', async () => {
    const { configuration } = await own.createAppConfiguration({ body: { name: 'Door', scanMode: 1 } });
    const appConfigurationId = configuration[0]!.configurationId;
    for (const id of passIds) await own.createAppScan({ body: { appConfigurationId, passId: id } });
    const scans = own.listAppScans({ path: { configuration: appConfigurationId }, query: { pageSize: 2 } });
    expect(await countsOf(scans, results)).toEqual([2, 1]);
    expect(await all(own.listAllAppScans({ query: { appConfigurationId } }).items())).toHaveLength(3);
  });

  test('of keys, of the audit log and of processes', async () => {
    for (const name of ['Shop', 'Door']) await own.createApiKey({ body: { name } });
    expect(await countsOf(own.listApiKeys({ query: { pageSize: 2 } }), data)).toEqual([2, 1]);
    for (let i = 0; i < 2; i++) {
      await own.updatePassesV3({ body: { filter: { identifiers: passIds }, data: { storedValue: i } } });
    }
    expect(await countsOf(own.listProcesses({ query: { pageSize: 1 } }), data)).toEqual([1, 1]);
    const actions = await all(own.listAuditLog({ query: { pageSize: 1 } }).items());
    expect(actions.filter(({ action }) => action.startsWith('api_key.'))).toHaveLength(2);
  });

  test('of the timeline of a pass', async () => {
    const id = passIds[0]!;
    await own.updatePassV3({ path: { id }, body: { data: { 'Full name': 'Ada' } } });
    const entries = await all(own.listPassTimeline({ path: { id }, query: { pageSize: 1 } }).items());
    expect(entries.map(({ type }) => type)).toEqual(expect.arrayContaining(['changed', 'created']));
  });

  test('of deliveries and of stored payloads', async () => {
    const receiver = await openOutsideServer();
    closing.push(() => receiver.close());
    const headers = { Prefer: 'return=representation' };
    const hook = { event: 'pass_voided', target_url: `${receiver.origin}/hook` } as const;
    const { identifier: subscription } = await own.subscribe({ body: hook, headers });
    await own.subscribe({ body: { event: 'pass_voided', pullMode: true } });
    for (const id of passIds) await own.voidPass({ path: { id }, body: { voided: true } });
    await receiver.received(3);
    const path = { subscription: subscription! };
    const deliveries = await eventually(async () => {
      const found = await all(own.listDeliveries({ path, query: { pageSize: 2 } }).items());
      return found.every(({ state }) => state === 'delivered') && found.length === 3 && found;
    });
    expect(new Set(deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(3);

    const payloads: string[] = [];
    for await (const page of own.listWebhookPayloads({ query: { limit: 2 } })) {
      payloads.push(...page.data.map(({ payload }) => String(payload.identifier ?? payload.passId)));
      await own.acknowledgeWebhookPayloads({ body: { upTo: page.data.at(-1)!.id } });
    }
    expect(payloads).toHaveLength(3);
  });
});
