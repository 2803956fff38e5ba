import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { LEASE_MS } from '../../src/domain/webhooks/claim.ts';
import { type Client, type Reply, send } from '../support/api.ts';
import { auditEntries, withDeafLog } from '../support/audit.ts';
import { d1, eventually } from '../support/control.ts';
import { type FuzzAccount, fuzzAccount, localized, namesFor } from '../support/fuzz-account.ts';
import { sampleTemplate } from '../support/samples.ts';
import { archiveOf, couponJson, ZIP_TYPE } from '../support/template-files.ts';
import { rowsOfAccount, untilAtRest } from '../support/tenant-rows.ts';
import { subscribed } from '../support/webhooks.ts';

/*
 * Every operation of the contract that may write: each success adds one entry to the audit log, in the same batch as
 * its change, or is listed here with a reason.
 */

const SINGLE_PASS = 'writes to a single pass are told by its timeline (additions C)';
const EXCEPTIONS: Record<string, string> = {
  'POST /api/appscan': 'scans are left out (additions C)',
  'POST /api/pass': SINGLE_PASS,
  'POST /api/pass/{id}': SINGLE_PASS,
  'PUT /api/pass/{id}': SINGLE_PASS,
  'DELETE /api/pass/{id}': SINGLE_PASS,
  'POST /api/pass/{id}/enabledownload': SINGLE_PASS,
  'POST /api/pass/{id}/sendpushnotification': SINGLE_PASS,
  'POST /api/pass/deliver/{id}/email/{recipientMail}': SINGLE_PASS,
  'POST /api/v2/pass/{identifier}/movetotemplate/{targetTemplateIdentifier}': SINGLE_PASS,
  'POST /api/v3/pass': SINGLE_PASS,
  'POST /api/v3/pass/{id}': SINGLE_PASS,
  'PATCH /api/v3/pass/{id}': SINGLE_PASS,
  'DELETE /api/v3/pass/{id}': SINGLE_PASS,
  'POST /api/v3/pass/{id}/rotate-links': SINGLE_PASS,
  'POST /api/v3/passinstance/search': 'a read; its query is the body',
  'POST /api/v2/pass-template/lint': 'it stores nothing; what it checks is the body',
};

/** Their process is created in its own object, before its row and entry. */
const IN_AN_OBJECT = [
  'POST /api/v3/person/erase',
  'POST /api/v3/person/export',
  'POST /api/v3/pass/bulk',
  'PATCH /api/v3/pass/bulk',
  'POST /api/v3/pass/bulk/create',
  'DELETE /api/v3/process/{id}',
  'POST /api/v3/process/{id}/retry',
];

interface Operation {
  operation: string;
  method: string;
  path: string;
  example: unknown;
}

const contract = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));
// biome-ignore lint/suspicious/noExplicitAny: the contract test checks the document's shape
const writes: Operation[] = Object.entries<any>(contract.paths)
  .flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    Object.entries<any>(methods).map(([method, { requestBody }]) => ({
      operation: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      example: requestBody?.content['application/json']?.example,
    })),
  )
  .filter(({ method }) => method !== 'GET')
  // Deletions come last, and what others need at the very end.
  .toSorted((a, b) => placeOf(a) - placeOf(b));

function placeOf({ method, path }: Operation): number {
  const isLast = [
    '/api/pass-template/{identifier}',
    '/api/appconfiguration/{configuration}',
    '/api/hook/{subscription}',
  ];
  if (method === 'DELETE') return isLast.includes(path) ? 3 : 2;
  return path.endsWith('unsubscribe') ? 1 : 0;
}

let account: FuzzAccount;
let client: Client;

beforeAll(async () => {
  account = await fuzzAccount();
  client = account.client;
  account.others.payload = [await waitingPayload()];
  await untilAtRest(client.accountId);
});

async function waitingPayload(): Promise<string> {
  await subscribed(client, '', { pullMode: true, target_url: undefined, event: 'pass_voided' });
  const { identifier } = await client.createPass(account.templates[0]!, { userProvidedId: 'payload' });
  await client.put(`/api/pass/${identifier}`, { voided: true });
  return eventually(async () => (await client.get('/api/v3/webhook-payload')).body.data[0]?.id);
}

/** Bodies for operations where the contract's example means something this account lacks. */
const BODIES: Record<string, () => object> = {
  // The example only counts.
  'POST /api/v3/person/erase': () => ({ match: { userProvidedId: 'nobody' } }),
  'POST /api/v2/pass-bundle/{bundleId}': () => ({ passes: [account.passes[1]] }),
  'POST /api/v2/pass-template/{id}': () => sampleTemplate(),
  'POST /api/v2/pass-template/import': () => archiveOf({ 'pass.json': couponJson() }),
};

/** Preconditions that give an operation something to do. */
const BEFORE: Record<string, () => Promise<unknown>> = {
  'POST /api/hook/{subscription}/resume': () =>
    d1("update webhook_subscriptions set status = 'paused' where id = ?", [account.others.hook![0]!]),
  'POST /api/pass/sendpushnotifications': () =>
    d1('update passes set number_of_active = 1 where id = ?', [account.passes[0]!]),
  'POST /api/v2/pass-bundle': () =>
    eventually(
      async () => (await d1('select id from passes where push_text is not null and id = ?', [account.passes[0]!]))[0],
    ),
  'DELETE /api/hook/unsubscribe': () =>
    client.post('/api/hook/subscribe', { target_url: UNSUBSCRIBED, event: 'pass_created' }),
};

/** Waits until earlier background work is done. */
async function atRest(): Promise<void> {
  await untilAtRest(client.accountId);
  await eventually(async () => {
    const open = await d1(
      `select id from webhook_subscriptions where account_id = ?1 and recover_after_id is not null
       union all select id from app_configurations where account_id = ?1 and deleted_at is not null
       union all select event_id from event_deliveries where next_attempt_at < ?2 and subscription_id in (
         select id from webhook_subscriptions where account_id = ?1 and status = 'active' and not retry_enabled)`,
      // Attempts that are due or in progress: without retries, a failed one ends its delivery.
      [client.accountId, Date.now() + LEASE_MS + 1_000],
    );
    return open.length === 0;
  });
}

/** The target in the contract's example. */
const UNSUBSCRIBED =
  contract.paths['/api/hook/unsubscribe'].delete.requestBody.content['application/json'].example.target_url;

/** Counts an account's rows, except a bundle link's secret and the signing key, which are kept for later callers. */
async function rowsThatCount() {
  const { bundle_links: _, signing_keys: __, ...rows } = await rowsOfAccount(client.accountId);
  return rows;
}

function call({ operation, method, path, example }: Operation): Promise<Reply> {
  const segments = path.split('/').map((segment, i, all) => {
    const parameter = /^\{(.+)\}$/.exec(segment)?.[1];
    return parameter ? encodeURIComponent(namesFor(account, parameter, all[i - 1]!)[0]!) : segment;
  });
  const body = BODIES[operation]?.() ?? (localized(example, account) as object);
  const type = body instanceof Uint8Array ? ZIP_TYPE : {};
  return send(method, segments.join('/') as '/', body, { Authorization: client.apiKey, ...type });
}

const audited = writes.filter(({ operation }) => !EXCEPTIONS[operation]);

test('the exceptions are operations of the contract', () => {
  const known = writes.map(({ operation }) => operation);
  expect([...Object.keys(EXCEPTIONS), ...IN_AN_OBJECT].filter((one) => !known.includes(one))).toEqual([]);
});

describe('an operation that writes', () => {
  test.for(audited)('$operation adds an entry, and changes nothing if the entry cannot be written', async (one) => {
    await BEFORE[one.operation]?.();
    if (!IN_AN_OBJECT.includes(one.operation)) {
      await atRest();
      const before = await rowsThatCount();
      await withDeafLog(client.accountId, () => expect(call(one)).rejects.toThrow(/deaf/));
      expect(await rowsThatCount()).toEqual(before);
    }
    const known = (await auditEntries(client.accountId)).map(({ id }) => id);
    const reply = await call(one);
    expect([one.operation, reply.status, reply.body]).toEqual([
      one.operation,
      expect.toSatisfy((s) => s < 300),
      reply.body,
    ]);
    const made = (await auditEntries(client.accountId)).filter(({ id }) => !known.includes(id));
    const isIts = { actor_type: 'api_key', email: 'Default', outcome: 'done', ip: expect.any(String) };
    // An operation that deletes several things has an entry for each.
    const targets = new Set(made.map(({ target_id }) => target_id));
    expect(made).toEqual(Array.from(targets, () => expect.objectContaining(isIts)));
    expect(made[0]?.request_id).toBe(reply.headers.get('X-Request-Id'));
  });
});
