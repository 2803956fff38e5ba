import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { eventually } from '../support/control.ts';
import { type OutsideReply, type OutsideServer, openServer } from '../support/outside-server.ts';
import { type RestartableWorker, startRestartableWorker } from '../support/restartable-worker.ts';
import { sampleTemplate } from '../support/samples.ts';
import { deliveriesWhen, subscribed, timesTold } from '../support/webhooks.ts';

/* The way of an event to its receiver in a Worker that is killed, with its queue and database. */

type Ending = Pick<TestContext, 'onTestFinished'>;

/** Opens a receiver until the end of the test. */
async function receiver({ onTestFinished }: Ending, answer?: (turn: number) => OutsideReply): Promise<OutsideServer> {
  let turn = 0;
  const server = await openServer(() => answer?.(turn++) ?? {});
  onTestFinished(() => server.close());
  return server;
}

/** Selects a row if the cron would find an event without deliveries or a delivery that is due. */
const leftBehind = (now: number) => `select 1 from account_events where pending is not null
  union all select 1 from event_deliveries where next_attempt_at <= ${now} limit 1`;

/** Longer than the leases of runs. */
const DOWN_MS = 60_000;

/** The burst runs at the same time. */
const BUSY_MILLIS = 90_000;

/** Sixty times the deliveries that one run claims. */
const BURST = 3_000;

describe('the whole Worker', () => {
  let worker: RestartableWorker;
  beforeAll(async () => {
    worker = await startRestartableWorker({ ALLOW_LOCAL_TARGETS: 'true', RATE_LIMIT_PER_MINUTE: '100000' });
  });
  afterAll(() => worker?.close());

  const at = (path: string) => `${worker.origin}${path}` as `http://${string}`;

  /** Creates a template, and a subscription at a local receiver. */
  async function sceneOf(server: OutsideServer) {
    const { client } = worker;
    const template = await client.post(at('/api/v2/pass-template'), sampleTemplate());
    const templateId: string = template.body.data.identifier;
    const { identifier } = await subscribed(client, `${server.address}/${templateId}`, {
      retryEnabled: true,
      template: templateId,
      origin: worker.origin,
    });
    return { client, templateId, identifier, server };
  }

  /** Returns the identifiers of a template's stored passes. */
  async function storedPasses(templateId: string): Promise<string[]> {
    const ids: string[] = [];
    let next: string | undefined = at(`/api/pass/list/${templateId}`);
    while (next) {
      const { body } = await worker.client.get(next as '/');
      ids.push(...body.results.map((pass: { identifier: string }) => pass.identifier));
      next = body.query.next;
    }
    return ids;
  }

  test('is killed between the commit and the queue send', async (context) => {
    let missing = 0;
    for (let round = 0; round < 5 && missing === 0; round++) {
      const one = await sceneOf(await receiver(context));
      const creates = Array.from({ length: 40 }, () =>
        one.client.post(at('/api/v3/pass'), { data: { templateId: one.templateId } }).then(
          () => true,
          () => false,
        ),
      );
      await Promise.race(creates);
      await worker.killAndStart(DOWN_MS);
      await Promise.all(creates);
      const stored = await storedPasses(one.templateId);
      expect(stored.length).toBeGreaterThan(0);
      const untold = () => {
        const told = timesTold(one.server);
        return stored.filter((id) => !told.has(id)).length;
      };
      missing = untold();
      // Leases of crashed runs have ended meanwhile, so the cron finds what they left.
      await eventually(async () => {
        if (worker.read(leftBehind(worker.now())).length > 0) await worker.runScheduled();
        return untold() === 0;
      });
      expect([...timesTold(one.server).keys()].sort()).toEqual(stored.sort());
    }
    expect(missing).toBeGreaterThan(0);
  }, 300_000);

  // Both run at once, because this one waits for its retry.
  test.concurrent('records a receiver that resets the connection, and one that does not exist', async (context) => {
    const one = await sceneOf(await receiver(context, (turn) => ({ breaks: turn === 0 })));
    await one.client.post(at('/api/v3/pass'), { data: { templateId: one.templateId } });
    // The first retry needs no help.
    const [delivery] = await deliveriesWhen(
      one.client,
      one.identifier,
      ([first]) => first?.state === 'delivered',
      BUSY_MILLIS,
      worker.origin,
    );
    expect(delivery!.attempts.map(({ outcome }) => outcome)).toEqual(['connection_reset', 'delivered']);
    expect([...timesTold(one.server).values()]).toEqual([2]);
    await one.server.close();
    await one.client.post(at('/api/v3/pass'), { data: { templateId: one.templateId } });
    const [refused] = await deliveriesWhen(
      one.client,
      one.identifier,
      ([first]) => first?.attempts.length === 1,
      BUSY_MILLIS,
      worker.origin,
    );
    expect(refused!.attempts[0]!.outcome).toMatch(/^connection_/);
  });

  test.concurrent('delivers a burst of 3,000 events', async (context) => {
    const one = await sceneOf(await receiver(context));
    const started = await one.client.post(at('/api/v3/pass/bulk/create'), {
      templateId: one.templateId,
      passes: Array.from({ length: BURST }, (_, i) => ({ userProvidedId: `burst-${i}` })),
    });
    expect(started.status).toBe(202);
    await eventually(() => one.server.requests.length >= BURST && timesTold(one.server).size === BURST, 200_000);
    expect([...timesTold(one.server).keys()]).toHaveLength(BURST);
  }, 240_000);
});
