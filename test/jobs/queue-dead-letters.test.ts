import { beforeAll, describe, expect, test, vi } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { consumeDeadLetters, DEAD_LETTERS_QUEUE, DELIVERIES_MAX } from '../../src/jobs/queue.ts';
import type { Env } from '../../src/platform/env.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type Client, freshAccount } from '../support/api.ts';
import { createConfiguration } from '../support/app-scans.ts';
import { allLogged, buryJobs, d1, eventually, logged, runScheduled } from '../support/control.ts';
import { deletedBefore } from '../support/earlier-events.ts';
import { subscribed } from '../support/webhooks.ts';

/* Messages that the platform moves to the dead-letter queue are stored, with the account of their subject. */

const QUEUE_MESSAGE_BYTES_MAX = 128 * 1024;
const D1_TEXT_BYTES_MAX = 2_000_000;
const DAY_MS = 24 * 3_600_000;

interface Letter {
  id: string;
  account_id: string | null;
  type: string;
  body: string;
}

/** Makes one job fail for the last time, and returns its row. */
async function buried(job: object): Promise<Letter> {
  await buryJobs([job]);
  return eventually(
    async () => (await d1<Letter>('select * from dead_letters where body = ?', [JSON.stringify(job)], DIRECTORY))[0],
  );
}

describe('wrangler.toml', () => {
  const { consumers = [] } = unstable_readConfig({ config: 'wrangler.toml' }).queues as {
    consumers?: { queue: string; dead_letter_queue?: string; max_batch_size?: number; max_retries?: number }[];
  };

  test('has a consumer for the dead letters of each queue, with the name in the code', () => {
    const working = consumers.filter(({ queue }) => queue !== DEAD_LETTERS_QUEUE);
    expect(working.length).toBeGreaterThanOrEqual(2);
    for (const { queue, dead_letter_queue } of working) expect(dead_letter_queue, queue).toBe(DEAD_LETTERS_QUEUE);
    const pushes = working.filter(({ queue }) => queue === 'pass-wallet-pushes');
    expect(pushes).toMatchObject([{ max_retries: DELIVERIES_MAX - 1 }]);
    const own = consumers.filter(({ queue }) => queue === DEAD_LETTERS_QUEUE);
    // It has no dead-letter queue: what it gives up is lost, so it retries for as long as possible.
    expect(own).toMatchObject([{ max_retries: 100 }]);
    expect(own[0]).not.toHaveProperty('dead_letter_queue', expect.any(String));
    expect(own[0]!.max_batch_size! * QUEUE_MESSAGE_BYTES_MAX).toBeLessThan(D1_TEXT_BYTES_MAX);
  });
});

test('a batch that the database rejects is retried, later each time, and logged completely', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = vi.spyOn(console, 'error').mockImplementation((line) => lines.push(JSON.parse(line)));
  const all = () => Promise.reject(new Error('the database is away'));
  const session = { prepare: () => ({ bind: () => ({ all }) }) };
  const fates: unknown[] = [];
  const messages = [1, 4, 90].map((attempts) => ({
    id: `attempt ${attempts}`,
    body: { type: 'delete-pass-files', passId: 'p' },
    attempts,
    ack: () => fates.push('ack'),
    retry: (options: object) => fates.push(options),
  }));
  // The consumer uses only the database, and of that only a session.
  const env = { BASE_URL: 'https://passes.example', DB: { withSession: () => session } } as unknown as Env;
  try {
    await consumeDeadLetters({ messages } as never, env, { waitUntil: () => {} } as never);
  } finally {
    log.mockRestore();
  }
  expect(fates).toEqual([{ delaySeconds: 5 }, { delaySeconds: 40 }, { delaySeconds: 3_600 }]);
  expect(lines).toMatchObject([
    { event: 'dead-letters', status: 'retry', d1RoundTrips: 1, error: expect.stringContaining('Failed query') },
    ...messages.map(({ id, body }) => ({ event: 'dead-letter-not-kept', requestId: id, body })),
  ]);
});

describe('a failed job', () => {
  let client: Client;
  let templateId: string;
  beforeAll(async () => {
    // Jobs without an account come from releases with one database.
    client = await freshAccount({ database: DIRECTORY });
    templateId = await client.createTemplate();
  });

  test('is stored and logged once, as an error', async () => {
    const { identifier } = await client.createPass(templateId);
    const letter = await buried({ type: 'push-to-google', passId: identifier });
    expect(letter).toMatchObject({ account_id: client.accountId, type: 'push-to-google' });
    const line = { event: 'dead-letter', requestId: letter.id };
    expect(await logged(line)).toMatchObject({ level: 'error', job: 'push-to-google', accountId: client.accountId });
    expect(await allLogged(line)).toHaveLength(1);
  });

  test('is stored in batches of one round trip', async () => {
    const jobs = Array.from({ length: 25 }, () => ({ type: 'delete-pass-files', passId: crypto.randomUUID() }));
    await buryJobs(jobs);
    const letters = await eventually(async () => {
      const kept = await d1<Letter>(
        'select id, body from dead_letters where body in (select value from json_each(?))',
        [JSON.stringify(jobs.map((job) => JSON.stringify(job)))],
        DIRECTORY,
      );
      return kept.length === jobs.length && kept;
    });
    const batches = await eventually(async () => {
      const lines = await allLogged({ event: 'dead-letters', status: 'done' });
      const mine = lines.filter(({ requestId }) => letters.some(({ id }) => id === requestId));
      return mine.length > 0 && mine;
    });
    for (const { d1RoundTrips } of batches) expect(d1RoundTrips).toBe(1);
  });

  const NAMES: [what: string, job: () => Promise<object>][] = [
    ['a pass', async () => ({ type: 'publish-to-google', passId: (await client.createPass(templateId)).identifier })],
    ['a deleted pass', async () => ({ type: 'delete-pass-files', passId: await deletedBefore(client, templateId) })],
    [
      'several passes, the first of which is unknown',
      async () => {
        const { identifier } = await client.createPass(templateId);
        return { type: 'push-passes', passIds: [crypto.randomUUID(), identifier] };
      },
    ],
    [
      'a deleted template',
      async () => {
        const id = crypto.randomUUID();
        await d1(
          'insert into template_deletions (template_id, account_id, published_version, resumed_at) values (?, ?, 1, ?)',
          [id, client.accountId, Date.now() + DAY_MS],
        );
        return { type: 'delete-template-passes', templateId: id };
      },
    ],
    [
      'an app configuration',
      async () => ({ type: 'delete-app-scans', configurationId: await createConfiguration(client) }),
    ],
    [
      'a webhook',
      async () => {
        const { identifier } = await subscribed(client, 'https://shop.example.com/dead', { event: 'pass_voided' });
        return { type: 'deliver-webhooks', subscriptionId: identifier };
      },
    ],
    [
      'a process',
      async () => {
        const data = { 'Full name': 'Ada' };
        const reply = await client.patch('/api/v3/pass/bulk', { data, filter: { identifiers: [crypto.randomUUID()] } });
        const { id } = await eventually(
          async () =>
            (await d1<{ id: string }>('select id from processes where account_id = ?', [client.accountId]))[0],
        );
        expect(reply.status).toBeLessThan(300);
        return { type: 'apply-process-range', processId: id, first: 0, last: 1 };
      },
    ],
    [
      'a message',
      async () => {
        const id = uuidv7();
        await d1(
          `insert into messages (id, account_id, pass_id, template_id, channel, kind, recipient, status, attempts, created_at)
           values (?, ?, 'p', 't', 'sms', 'adhoc', 'r', 'sent', 1, ?)`,
          [id, client.accountId, Date.now()],
        );
        return { type: 'send-message', messageId: id };
      },
    ],
    [
      'a notification, or its fan-out',
      async () => {
        const id = crypto.randomUUID();
        await d1(
          `insert into notifications (id, account_id, template_id, publication_at, state, created_at) values (?, ?, ?, 1, 'executed', 1)`,
          [id, client.accountId, templateId],
        );
        expect((await buried({ type: 'walk-push-fan-out', fanOutId: id })).account_id).toBe(client.accountId);
        return { type: 'push-template-notification', notificationId: id };
      },
    ],
  ];
  test.each(NAMES)('belongs to the account of %s', async (_, job) => {
    expect((await buried(await job())).account_id).toBe(client.accountId);
  });

  test('has no account if its subject is unknown or missing', async () => {
    expect((await buried({ type: 'publish-to-google', passId: crypto.randomUUID() })).account_id).toBeNull();
    expect((await buried({ type: 'fan-out-events', mark: crypto.randomUUID() })).account_id).toBeNull();
  });

  test('is deleted by the cron after thirty days', async () => {
    const old = await buried({ type: 'delete-pass-files', passId: crypto.randomUUID() });
    const young = await buried({ type: 'delete-pass-files', passId: crypto.randomUUID() });
    for (const [{ id }, days] of [
      [old, 31],
      [young, 29],
    ] as const) {
      await d1('update dead_letters set failed_at = ? where id = ?', [Date.now() - days * DAY_MS, id], DIRECTORY);
    }
    await runScheduled();
    const left = await d1('select id from dead_letters where id in (?, ?)', [old.id, young.id], DIRECTORY);
    expect(left).toEqual([{ id: young.id }]);
  });
});
