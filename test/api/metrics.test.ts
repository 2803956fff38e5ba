import { describe, expect, test } from 'vitest';
import { freshAccount, send } from '../support/api.ts';
import { costOf, d1, eventually, runScheduled } from '../support/control.ts';
import { heldPass } from '../support/pushes.ts';
import { subscribed } from '../support/webhooks.ts';

interface Row {
  blobs: string;
  doubles: string;
  index1: string;
}

/** Waits for data points whose blobs begin with these, and returns them. */
function points(begin: string[], account?: string) {
  return eventually(async () => {
    const conditions = begin.map((_, i) => `and blobs ->> ${i} = ?`).join(' ');
    const rows = await d1<Row>(`select * from metric_points where true ${conditions} order by key`, begin);
    const list = rows.map(shown).filter((point) => account === undefined || point.account === account);
    return list.length > 0 && list;
  });
}

function shown({ blobs, doubles, index1 }: Row) {
  const [kind, name, outcome, method, account] = JSON.parse(blobs) as string[];
  const [durationMs, roundTrips, rowsRead, rowsWritten, value, ageMs, attempt, ...outcomes] = JSON.parse(
    doubles,
  ) as number[];
  const figures = { durationMs, roundTrips, rowsRead, rowsWritten, value, ageMs, attempt };
  return { index1, kind, name, outcome, method, account, ...figures, outcomes };
}

describe('data points', () => {
  test('record a request’s route, status and cost, at no cost to it', async () => {
    const account = await freshAccount();
    const reply = await account.get('/api/v3/project');
    const cost = await costOf(reply);
    const [point, ...others] = await points(['request', '/api/v3/project', '200', 'GET'], account.accountId);
    expect(others).toEqual([]);
    expect(point).toMatchObject({ index1: account.accountId, ...cost, value: 1 });
    expect(point!.durationMs).toBeGreaterThanOrEqual(0);
  });

  test('record requests without a route, and omit their path', async () => {
    await send('GET', `/none-such-${crypto.randomUUID()}`);
    const [point] = await points(['request', 'unmatched', '404'], '');
    expect(point!.index1).toBe('unmatched');
  });

  test('record jobs by kind, and pushes by outcome', async () => {
    const account = await freshAccount();
    const held = await heldPass(account, await account.createTemplate());
    await account.patch(`/api/v3/pass/${held.pass.identifier}?async=false`, { data: { 'Full name': 'Ada' } });
    const [job] = await points(['job', 'push-passes', 'done'], account.accountId);
    expect(job).toMatchObject({ index1: account.accountId, attempt: 1, roundTrips: expect.any(Number), value: 1 });
    expect(job!.outcomes).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    expect(job!.ageMs).toBeGreaterThanOrEqual(0);
  });

  test('record deliveries by outcome, with their lag', async () => {
    const account = await freshAccount();
    const { identifier } = await subscribed(account, 'https://shop.example.com/metrics');
    await account.post(`/api/hook/${identifier}/test`);
    const [run] = await points(['job', 'deliver-webhooks', 'done'], account.accountId);
    const [delivered, retry, failed] = [0, 3, 6].map((at) => run!.outcomes.slice(at, at + 3));
    const attempted = [delivered!, retry!, failed!].filter(([count]) => count! > 0);
    expect(attempted).toEqual([[1, expect.any(Number), expect.any(Number)]]);
    expect(attempted[0]![2]).toBeGreaterThan(0);
  });

  test('record tasks of the cron, and gauges', async () => {
    const [before] = await d1<{ last: number }>('select coalesce(max(key), 0) as last from metric_points');
    // One invocation: the tasks of further databases run in others.
    await runScheduled(new Date(), []);
    const [task] = await points(['task', 'purge-events', 'done']);
    expect(task).toMatchObject({ index1: 'purge-events', roundTrips: expect.any(Number) });
    const [size] = await points(['gauge', 'databaseBytes']);
    expect(size!.value).toBeGreaterThan(100_000);
    for (const name of ['pushes', 'messages', 'deliveries', 'webhookLagMs', 'failedJobs']) {
      expect(await points(['gauge', name]), name).not.toEqual([]);
    }
    const written = 'select count(*) as n from metric_points where key > ? and blobs ->> 0 in (?, ?)';
    const [{ n }] = (await d1<{ n: number }>(written, [before!.last, 'task', 'gauge'])) as [{ n: number }];
    expect(n, 'data points of an invocation').toBeLessThan(250);
    const [certificate] = await points(['gauge', 'certificateDays']);
    expect(certificate!.outcome).toMatch(/^pass\./);
  });

  test('contain no address, name or secret', async () => {
    const account = await freshAccount();
    const template = await account.createTemplate();
    const pass = await account.createPass(template, { userProvidedId: 'ada-lovelace-1815' });
    await send('GET', new URL(pass.uri).pathname as `/${string}`);
    await points(['request', '/api/v2/pass-template'], account.accountId);
    const rows = await d1<Row>('select * from metric_points');
    const text = JSON.stringify(rows);
    for (const secret of ['ada-lovelace', account.apiKey, new URL(pass.uri).pathname, '@', 'http']) {
      expect(text).not.toContain(secret);
    }
  });
});
