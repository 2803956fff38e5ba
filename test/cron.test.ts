import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createPass } from '../src/domain/passes/create-pass.ts';
import { runCron } from '../src/jobs/cron.ts';
import type { Env } from '../src/platform/env.ts';
import { firstUuidAt, uuidv7 } from '../src/platform/ids.ts';
import { type LocalDatabase, openLocalDatabase } from './domain/local-database.ts';
import { makeTemplate } from './domain/search/crowd.ts';
import { jobQueues, queueTo } from './support/fake-queue.ts';

/*
 * One run of the cron has work for each task that no other task would do: a task that is no longer called leaves its
 * work undone.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Some tasks run once an hour. */
/** The first minute of a half week, for the task `merge-search-terms`. */
const NOW = Math.floor(Date.now() / (84 * HOUR_MS)) * 84 * HOUR_MS;

/** Minutes of a week. Determines which row's turn it is in a table whose last row has that number. */
const TURNS = 7 * 24 * 60;
const TURN = (Math.floor(NOW / 60_000) % TURNS) + 1;

let database: LocalDatabase;
let accountId: string;
const jobs: object[] = [];
const files = new Map<string, number>();
const wokenProcesses: string[] = [];
const expiredProcesses: string[] = [];
const ran: string[] = [];

/** A task's work, and how to check that it was done. */
interface Task {
  prepare: () => Promise<unknown>;
  isDone: () => Promise<boolean> | boolean;
}

async function rowsOf(statement: string, params: unknown[] = []): Promise<Record<string, unknown>[]> {
  const { results } = await database.d1
    .prepare(statement)
    .bind(...params)
    .all<Record<string, unknown>>();
  return results;
}

/** Inserts a row of the account. Columns without a value or default get an empty text or 0. */
async function insert(table: string, values: Record<string, unknown>): Promise<void> {
  const columns = await rowsOf(
    'select name, type, "notnull" as required, dflt_value as given from pragma_table_info(?)',
    [table],
  );
  const filled: Record<string, unknown> = {};
  for (const { name, type, required, given } of columns) {
    if (name === 'account_id') filled[name] = accountId;
    else if (required && given === null && name !== 'key') filled[String(name)] = type === 'text' ? '' : 0;
  }
  const row = Object.entries({ ...filled, ...values });
  await rowsOf(
    `insert into ${table} (${row.map(([name]) => name)}) values (${row.map(() => '?')})`,
    row.map(([, value]) => value),
  );
}

/** A row that must be deleted. */
const removes = (table: string, key: string, values: Record<string, unknown> = {}): Task => ({
  prepare: () => insert(table, { [key]: 'old', ...values }),
  isDone: async () => (await rowsOf(`select 1 from ${table} where ${key} = 'old'`)).length === 0,
});

const isEnqueued = (job: object) => jobs.some((one) => JSON.stringify(one) === JSON.stringify({ ...one, ...job }));

/** A row whose job must be queued. */
const enqueues = (job: object, table: string, values: Record<string, unknown>): Task => ({
  prepare: () => insert(table, values),
  isDone: () => isEnqueued(job),
});

/** A file that must be deleted. */
const removesFile = (key: string, storedAt: number, prepare: Task['prepare'] = async () => {}): Task => ({
  prepare: () => {
    files.set(key, storedAt);
    return prepare();
  },
  isDone: () => !files.has(key),
});

/** A mail to the account's contact. */
const mails = (subject: string, table: string, values: Record<string, unknown>): Task => ({
  prepare: () => insert(table, values),
  isDone: async () =>
    (await rowsOf("select 1 from outbox_items where recipient = 'owner@example.com' and subject = ?", [subject]))
      .length === 1,
});

const MESSAGE_ID = uuidv7();
const WEBHOOK = { event: 'pass_created', status: 'active', target_url: 'https://receiver.example.com' };

/** By task name. */
const TASKS: Record<string, Task> = {
  'tidy-account-moves': removes('account_moves', 'account_id', { target: 'DB', step: 'moved', moved_at: 1 }),
  'purge-audit-log': removes('audit_entries', 'id', { created_at: NOW - 401 * DAY_MS }),
  'purge-dead-letters': removes('dead_letters', 'id', { body: '{}', failed_at: NOW - 31 * DAY_MS }),
  'resume-dead-letter-retries': enqueues({ type: 'send-message', messageId: 'retried' }, 'dead_letters', {
    id: 'retried',
    body: JSON.stringify({ type: 'send-message', messageId: 'retried' }),
    failed_at: NOW,
    due_at: 1,
  }),
  'purge-idempotency-keys': removes('idempotency_keys', 'key', { started_at: NOW - 25 * HOUR_MS }),
  'purge-expired-sign-ins': removes('sessions', 'digest', { expires_at: 1 }),
  'purge-passkey-challenges': removes('passkey_challenges', 'digest', { expires_at: 1 }),
  'purge-imports': removesFile('imports/account/file', NOW - 25 * HOUR_MS),
  'purge-person-exports': removesFile('person-exports/account/file', NOW - 26 * HOUR_MS),
  'move-link-tokens': removesFile('pass-files/open.pkpass', NOW, () => insert('link_token_moves', { part: 'files' })),
  'apply-retention': {
    prepare: async () => {
      await insert('app_scans', {
        id: 'too-old',
        reason: 'accepted',
        additional_properties: '{}',
        created_at: NOW - 31 * DAY_MS,
      });
      const retention = JSON.stringify({
        scansDays: 30,
        messagesDays: null,
        expiredPassesDays: null,
        voidedPassesDays: null,
      });
      await rowsOf('update accounts set retention = ?, retention_due_at = 1 where id = ?', [retention, accountId]);
    },
    isDone: async () => (await rowsOf("select 1 from app_scans where id = 'too-old'")).length === 0,
  },
  'purge-messages': {
    prepare: () => insert('messages', { id: firstUuidAt(NOW - 91 * DAY_MS), pass_id: 'old', status: 'sent' }),
    isDone: async () => (await rowsOf("select 1 from messages where pass_id = 'old'")).length === 0,
  },
  'purge-pass-facts': {
    prepare: () => insert('pass_facts', { pass_key: 1, began_at: NOW - 121 * DAY_MS, facts: 'old' }),
    isDone: async () => (await rowsOf("select 1 from pass_facts where facts = 'old'")).length === 0,
  },
  'purge-registrations': {
    prepare: async () => {
      await insert('registrations', { pass_id: 'deleted' });
      await insert('pass_tombstones', { pass_id: 'deleted', deleted_at: NOW - 31 * DAY_MS });
    },
    isDone: async () => (await rowsOf("select 1 from registrations where pass_id = 'deleted'")).length === 0,
  },
  'resume-account-deletions': enqueues({ type: 'delete-account', accountId: 'deleted' }, 'account_deletions', {
    account_id: 'deleted',
    ancestor_ids: '[]',
    due_at: 1,
  }),
  'resume-erasures': enqueues({ type: 'erase-passes', passIds: ['erased'] }, 'pass_erasures', {
    pass_id: 'erased',
    names: '[]',
    due_at: 1,
  }),
  'resume-configuration-deletions': enqueues(
    { type: 'delete-app-scans', configurationId: 'deleted' },
    'app_configurations',
    { id: 'deleted', place: '{}', additional_properties: '[]', deleted_at: 1 },
  ),
  'resume-image-imports': {
    prepare: async () => {
      const ctx = withEnv(await database.accountContext());
      const templateId = await makeTemplate(ctx, { images: { perPassImages: { thumbnail: true } } });
      await createPass(ctx, templateId, { urlToThumbnail: 'https://images.example.com/a.png' }, { wait: false });
      await rowsOf("update passes set appearance = json_set(appearance, '$.pendingImages.dueAt', 1)");
      jobs.length = 0;
    },
    isDone: () => isEnqueued({ type: 'import-pass-images' }),
  },
  'resume-messages': enqueues({ type: 'send-message', messageId: MESSAGE_ID }, 'messages', {
    id: MESSAGE_ID,
    status: 'queued',
    due_at: 1,
  }),
  'purge-google-callbacks': removes('taken_callbacks', 'nonce', { expires_at: 1 }),
  'purge-google-classes': removes('google_classes', 'id', { sent_at: NOW - 61 * DAY_MS }),
  'end-google-objects': enqueues({ type: 'end-google-object', passId: 'ended' }, 'pass_tombstones', {
    pass_id: 'ended',
    deleted_at: NOW,
    google_kind: 'generic',
    google_due_at: NOW - HOUR_MS,
  }),
  'resume-pushes': enqueues({ type: 'push-to-google', passId: 'pushed' }, 'requested_pushes', {
    pass_id: 'pushed',
    wallet: 'google',
    requested_at: NOW,
    due_at: 1,
  }),
  'move-pushes': {
    prepare: () => insert('pending_pushes', { pass_id: 'moved', wallet: 'google', requested_at: NOW, due_at: 2 }),
    isDone: async () => (await rowsOf("select 1 from requested_pushes where pass_id = 'moved'")).length > 0,
  },
  'resume-search-reindex': {
    prepare: () => insert('search_reindex', { after_key: 1_000_000 }),
    isDone: async () => (await rowsOf('select 1 from search_reindex where after_key = 1000000')).length === 0,
  },
  'remove-search-documents': {
    prepare: async () => {
      const ctx = withEnv(await database.accountContext());
      const { pass } = await createPass(ctx, await makeTemplate(ctx), {}, { wait: false });
      const document =
        "insert into pass_documents (key, content, fields) select key, '', '{}' from passes where id = ?";
      await rowsOf(document, [pass.id]);
    },
    isDone: async () => (await rowsOf('select 1 from pass_documents')).length === 0,
  },
  'merge-search-terms': {
    prepare: async () => {
      await rowsOf("insert into pass_terms (rowid, terms) values (1000000, 'erasedterm')");
      await rowsOf('delete from pass_terms where rowid = 1000000');
    },
    isDone: async () =>
      (await rowsOf("select 1 from pass_terms_data where instr(block, x'657261736564') > 0")).length === 0,
  },
  'resume-template-deletions': enqueues(
    { type: 'delete-template-passes', templateId: 'deleted' },
    'template_deletions',
    { template_id: 'deleted', resumed_at: NOW - HOUR_MS },
  ),
  'wake-processes': {
    prepare: () => insert('processes', { id: 'silent', kind: 'create', mirrored_at: NOW - HOUR_MS }),
    isDone: () => wokenProcesses.includes('silent'),
  },
  'purge-processes': {
    prepare: () =>
      insert('processes', { id: 'ended', kind: 'create', mirrored_at: NOW, finished_at: NOW - 91 * DAY_MS }),
    isDone: async () =>
      expiredProcesses.includes('ended') && (await rowsOf("select 1 from processes where id = 'ended'")).length === 0,
  },
  'purge-template-versions': {
    prepare: async () => {
      await insert('template_versions', { template_id: 'versioned', version: 1, definition: '{}' });
      await insert('notifications', {
        id: 'publication',
        template_id: 'versioned',
        version: 2,
        state: 'executed',
        executed_at: NOW - 401 * DAY_MS,
      });
    },
    isDone: async () => (await rowsOf("select 1 from template_versions where template_id = 'versioned'")).length === 0,
  },
  'purge-notifications': removes('notifications', 'id', { state: 'executed', executed_at: NOW - 401 * DAY_MS }),
  'purge-former-members': {
    prepare: async () => {
      await insert('users', { rowid: TURNS, id: 'last', email: 'last' });
      await insert('users', { rowid: TURN, id: 'former', email: 'former' });
    },
    isDone: async () => (await rowsOf("select 1 from users where id = 'former'")).length === 0,
  },
  'purge-kept-queries': removes('segments', 'id', { query: '{}', expires_at: 1 }),
  'purge-bundle-links': {
    prepare: async () => {
      await insert('bundle_links', { rowid: TURNS, bundle_id: 'last', page_token: 'last' });
      await insert('bundle_links', { rowid: TURN, bundle_id: 'empty', page_token: 'empty', empty_since_at: 1 });
    },
    isDone: async () => (await rowsOf("select 1 from bundle_links where bundle_id = 'empty'")).length === 0,
  },
  'fold-counts': removes('hourly_counts', 'metric', { hour_at: NOW - 101 * DAY_MS }),
  'count-events': {
    prepare: () =>
      insert('account_events', {
        id: firstUuidAt(NOW - HOUR_MS),
        type: 'pass_created',
        body: '{}',
        created_at: NOW - HOUR_MS,
      }),
    isDone: async () => (await rowsOf("select 1 from hourly_counts where metric = 'pass_created'")).length > 0,
  },
  'purge-events': removes('account_events', 'type', { id: firstUuidAt(1), body: '{}', created_at: 1 }),
  'purge-earlier-events': removes('events', 'type', { id: 'earlier', key: 1, body: '{}', created_at: 1 }),
  'move-webhook-deliveries': {
    prepare: () =>
      insert('webhook_deliveries', {
        ...{ subscription_id: 'earlier', event_id: 'moved', state: 'delivered', attempts: '[]', created_at: NOW },
      }),
    isDone: async () => (await rowsOf("select 1 from event_deliveries where event_id = 'moved'")).length > 0,
  },
  'purge-webhook-deliveries': removes('event_deliveries', 'state', {
    event_id: firstUuidAt(NOW - 31 * DAY_MS),
    attempts: '[]',
    created_at: NOW - 31 * DAY_MS,
  }),
  'resume-webhook-recoveries': enqueues(
    { type: 'recover-webhooks', subscriptionId: 'recovering' },
    'webhook_subscriptions',
    { ...WEBHOOK, id: 'recovering', recover_after_id: 'a', recover_until_id: 'b' },
  ),
  'sweep-images': removesFile(`images/${'a'.repeat(64)}`, NOW, () =>
    insert('image_checks', { sha256: 'a'.repeat(64), due_at: 1 }),
  ),
  'sweep-webhook-deliveries': {
    prepare: async () => {
      await insert('webhook_subscriptions', { ...WEBHOOK, id: 'waiting', event: 'pass_updated' });
      await insert('event_deliveries', {
        subscription_id: 'waiting',
        state: 'waiting',
        next_attempt_at: 1,
        attempts: '[]',
        created_at: NOW,
      });
    },
    isDone: () => isEnqueued({ type: 'deliver-webhooks', subscriptionId: 'waiting' }),
  },
  'tell-webhook-owners': mails('Webhook paused: pass_voided', 'webhook_subscriptions', {
    ...WEBHOOK,
    id: 'paused',
    event: 'pass_voided',
    status: 'paused',
    tell_owner_at: 1,
  }),
  'tell-quota-owners': mails('80% of a quota used: passes', 'account_quotas', {
    quota: 'passes',
    max: 100,
    told_percent: 80,
    tell_at: 1,
  }),
  'warn-certificate-owners': mails('Renew your pass certificate: it expires in 20 days', 'certificates', {
    id: 'ending',
    pass_type_id: 'pass.com.example.ending',
    valid_to: NOW + 20 * DAY_MS,
    warn_at: 1,
  }),
  'refresh-renewed-passes': {
    prepare: () =>
      insert('certificates', { id: 'renewed', pass_type_id: 'pass.com.example.renewed', valid_to: NOW, refresh_at: 1 }),
    isDone: async () => (await rowsOf('select 1 from certificates where refresh_at is not null')).length === 0,
  },
  'purge-certificate-requests': removes('certificate_requests', 'id', { created_at: NOW - 91 * DAY_MS }),
  'date-quota-periods': {
    prepare: () => insert('account_quotas', { quota: 'messages', period_ends_at: -NOW }),
    isDone: async () =>
      (await rowsOf("select 1 from account_quotas where quota = 'messages' and period_ends_at > ?", [NOW])).length > 0,
  },
  'purge-webhook-payloads': removes('webhook_payloads', 'type', {
    id: uuidv7(),
    triggered_at: NOW,
    acknowledged_at: 1,
  }),
  'publish-due-notifications': enqueues(
    { type: 'push-template-notification', notificationId: 'due' },
    'notifications',
    { id: 'due', text: 'Hello', state: 'scheduled', due_at: 1 },
  ),
  'release-unique-properties': removes('unique_property_changes', 'template_id', {
    property_id: 'color',
    run: null,
    due_at: 1,
  }),
  'watch-service': {
    prepare: async () => {},
    isDone: async () => (await rowsOf('select 1 from service_samples where starts_at = ?', [NOW])).length > 0,
  },
  'watch-late-cron': {
    prepare: () =>
      insert('service_samples', { period: 'hour', starts_at: NOW - HOUR_MS, gauges: '{}', measured_at: NOW - HOUR_MS }),
    isDone: async () => (await rowsOf("select 1 from service_alerts where detail = 'cron (overdue)'")).length === 1,
  },
  'purge-dev-metrics': {
    prepare: async () => {
      await insert('metric_points', { key: 1, blobs: '[]', doubles: '[]' });
      await insert('metric_points', { key: 20_001, blobs: '[]', doubles: '[]' });
    },
    isDone: async () => (await rowsOf('select 1 from metric_points where key = 1')).length === 0,
  },
  'purge-dev-inbox': removes('outbox_items', 'recipient', { details: '{}', created_at: 1 }),
};

const FILES = {
  get: async () => null,
  list: async ({ prefix }: { prefix: string }) => ({
    objects: [...files]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, at]) => ({ key, uploaded: new Date(at), customMetadata: {} })),
    truncated: false,
  }),
  put: async () => null,
  delete: async (keys: string | string[]) => {
    for (const key of [keys].flat()) files.delete(key);
  },
};

const PROCESSES = {
  idFromName: (id: string) => id,
  get: (id: string) => ({
    wake: async () => wokenProcesses.push(id),
    expire: async () => expiredProcesses.push(id) > 0,
  }),
};

function withEnv<C extends { env: Env }>(context: C): C {
  const take = (sent: object[]) => void jobs.push(...sent);
  // Tasks use no other bindings.
  const env = { ...context.env, ...jobQueues(take), WEBHOOKS: queueTo(take), FILES, PROCESSES, ADMIN_TOKEN: 'local' };
  return { ...context, env: env as unknown as Env };
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  database = await openLocalDatabase();
  accountId = (await database.accountContext()).account.id;
  await insert('account_contacts', { contact: JSON.stringify({ email: 'owner@example.com' }) });
  // Tasks process the first rows of some tables, so the rows they delete must be the oldest.
  for (const [, task] of Object.entries(TASKS).sort(([a]) => (a.startsWith('purge') ? -1 : 1))) await task.prepare();
  for (const [name, task] of Object.entries(TASKS)) expect(await task.isDone(), name).toBe(false);
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    const { event, task, status } = JSON.parse(line);
    if (event === 'task' && status === 'done') ran.push(task);
  });
  const after: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void after.push(work);
  await runCron(withEnv(database.context()).env, { waitUntil } as ExecutionContext);
  await Promise.all(after);
});
afterAll(async () => {
  vi.useRealTimers();
  await database.close();
});

test.each(Object.entries(TASKS))('the cron does the work of %s', async (_, { isDone }) => {
  expect(await isDone()).toBe(true);
});

test('this file covers each task of the cron, and none of them fails', () => {
  expect(ran.sort()).toEqual(Object.keys(TASKS).sort());
});
