import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import { DATABASE_BYTES_MAX } from '../../../src/domain/databases/list-databases.ts';
import { ALERTS, docsOf, type Observation, type TaskOutcome } from '../../../src/domain/monitoring/alerts.ts';
import { gaugeStatements, measurementOf } from '../../../src/domain/monitoring/gauges.ts';
import { getServiceStatus } from '../../../src/domain/monitoring/get-service-status.ts';
import type { ServiceAlert } from '../../../src/domain/monitoring/table.ts';
import { CLEAR_TICKS, nextAlert, RAISE_TICKS, watchService } from '../../../src/domain/monitoring/watch-service.ts';
import { setOperator } from '../../../src/domain/users/invite-user.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.UTC(2026, 10, 23, 9);

const FAILS: TaskOutcome[] = [
  { task: 'purge-events', status: 'failed' },
  { task: 'sweep-images', status: 'done' },
];

let database: LocalDatabase;
/** The time of the cron's next minute. */
let now: number;

beforeAll(async () => {
  database = await openLocalDatabase();
});
beforeEach(async () => {
  now = START;
  const tables = ['service_alerts', 'service_samples', 'operator_mails', 'outbox_items', 'users'];
  await database.d1.batch(tables.map((table) => database.d1.prepare(`delete from ${table}`)));
});
afterAll(() => database.close());

/** Returns the context of a local service, which stores its mails. */
function local(): Context {
  const context = database.context();
  const env = { ...context.env, ADMIN_TOKEN: 'local', FILES: { put: async () => null } as never };
  return { ...context, env };
}

/** Runs the cron for this many minutes. */
async function pass(minutes: number, tasks: TaskOutcome[] = []): Promise<void> {
  for (let i = 0; i < minutes; i++) {
    await watchService(local(), tasks, now);
    now += MINUTE_MS;
  }
}

async function mails(): Promise<Record<string, unknown>[]> {
  const { results } = await database.d1.prepare('select recipient, subject, text from outbox_items order by key').all();
  return results;
}
const subjects = async () => (await mails()).map(({ subject }) => subject);
const waiting = async () =>
  (await database.d1.prepare('select count(*) as n from operator_mails').first<{ n: number }>())!.n;
test('a further database whose cron does not run raises an alert', async () => {
  const add = "insert into databases (name, is_open, added_at, measured) values ('DB_1', 1, ?, null)";
  await database.d1.prepare(add).bind(START).run();
  await pass(9);
  expect(await rows()).toEqual([]);
  await pass(2 + RAISE_TICKS);
  expect(await rows()).toMatchObject([{ name: 'databases', detail: 'Not measured for ten minutes: DB_1.' }]);
  const status = await getServiceStatus(local(), now);
  expect(status.alerts.map(({ name }) => name)).toEqual(['databases']);
  await database.d1.prepare('delete from databases').run();
});

const rows = async () => (await database.d1.prepare('select * from service_alerts').all()).results;

const TITLE = 'A cron task fails or is slow';

describe('an alert', () => {
  beforeEach(async () => {
    await setOperator(local(), 'Ops@Example.com', true);
  });

  test('is raised after five measurements in a row, and cleared after ten, with a mail each', async () => {
    await pass(RAISE_TICKS - 1, FAILS);
    expect(await mails()).toEqual([]);
    await pass(1, FAILS);
    expect(await mails()).toEqual([
      {
        recipient: 'ops@example.com',
        subject: `Alert: ${TITLE}`,
        text: expect.stringMatching(
          /^purge-events \(failed\)\n\nNext step: .+\n\nRead more: docs\/operations\.md#cron-tasks\n\nThe state of the service: https:\/\/passes\.example\/console\/service\n\n-- \nPass wallet service · passes\.example\n$/,
        ),
      },
    ]);
    await pass(CLEAR_TICKS - 1);
    expect(await subjects()).toHaveLength(1);
    await pass(1);
    expect(await subjects()).toEqual([`Alert: ${TITLE}`, `Cleared: ${TITLE}`]);
    expect([await rows(), await waiting()]).toEqual([[], 0]);
    await pass(20);
    expect(await subjects()).toHaveLength(2);
  });

  test('is neither raised nor cleared by values that swing around its limit', async () => {
    for (let i = 0; i < 5; i++) {
      await pass(RAISE_TICKS - 1, FAILS);
      await pass(1);
    }
    expect([await mails(), await rows()]).toEqual([[], []]);
    await pass(RAISE_TICKS, FAILS);
    for (let i = 0; i < 3; i++) {
      await pass(CLEAR_TICKS - 1);
      await pass(1, FAILS);
    }
    expect(await subjects()).toEqual([`Alert: ${TITLE}`]);
  });

  test('that stays raised sends a reminder once a day', async () => {
    await pass(RAISE_TICKS, FAILS);
    const raisedAt = now;
    for (; now < raisedAt + 3 * DAY_MS; now += DAY_MS / 4) await watchService(local(), FAILS, now);
    const [raised, ...others] = await mails();
    expect(raised!.subject).toBe(`Alert: ${TITLE}`);
    expect(others.map(({ subject }) => subject)).toEqual([`Still raised: ${TITLE}`, `Still raised: ${TITLE}`]);
    expect(others[0]!.text).toMatch(/^This alert has been raised for 1 day\./);
  });

  test('counts a minute once, although the cron runs twice in it', async () => {
    for (let i = 0; i < RAISE_TICKS; i++) {
      await watchService(local(), FAILS, now);
      await watchService(local(), FAILS, now + 1_000);
    }
    expect(await rows()).toMatchObject([{ ticks: 1, raised_at: null }]);
  });

  test('is mailed once, although several crons raise it at the same time', async () => {
    await pass(RAISE_TICKS - 1, FAILS);
    await Promise.all(Array.from({ length: 50 }, () => watchService(local(), FAILS, now)));
    expect(await subjects()).toEqual([`Alert: ${TITLE}`]);
  });

  test('shows in the status until it is cleared', async () => {
    await pass(RAISE_TICKS, FAILS);
    const status = await getServiceStatus(local(), now);
    expect(status).toMatchObject({ isHealthy: false, measuredAt: now - MINUTE_MS });
    expect(status.alerts).toMatchObject([{ name: 'cron-tasks', title: TITLE, detail: 'purge-events (failed)' }]);
    await pass(CLEAR_TICKS);
    expect(await getServiceStatus(local(), now)).toMatchObject({ isHealthy: true, alerts: [] });
  });

  test('is raised if the cron has stopped', async () => {
    const firstAccount = 'insert or replace into accounts (id, name, created_at) values (?, ?, ?)';
    const begin = (at: number) => database.d1.prepare(firstAccount).bind('first', 'First', at).run();
    await begin(now - 5 * MINUTE_MS);
    expect((await getServiceStatus(local(), now)).alerts).toEqual([]);
    await begin(now - 6 * MINUTE_MS);
    expect((await getServiceStatus(local(), now)).alerts).toMatchObject([{ name: 'cron' }]);
    await pass(1);
    expect((await getServiceStatus(local(), now)).alerts).toEqual([]);
    expect((await getServiceStatus(local(), now + 5 * MINUTE_MS)).alerts).toMatchObject([{ name: 'cron' }]);
  });
});

describe('a mail to operators', () => {
  test('waits for the provider, and is not lost', async () => {
    const broken = (): Context => {
      const context = local();
      const put = async () => Promise.reject(new Error('try later'));
      return { ...context, env: { ...context.env, FILES: { put } as never } };
    };
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await setOperator(local(), 'ops@example.com', true);
    for (let i = 0; i < RAISE_TICKS; i++, now += MINUTE_MS) await watchService(broken(), FAILS, now);
    expect([await waiting(), await mails()]).toEqual([1, []]);
    expect(log.mock.calls.join()).toContain('operator-mail-failed');
    log.mockRestore();
    await pass(20, FAILS);
    expect([await waiting(), await subjects()]).toEqual([0, [`Alert: ${TITLE}`]]);
  });

  test('goes to each operator, and to no former one', async () => {
    for (const name of ['a', 'b', 'c']) await setOperator(local(), `${name}@example.com`, true);
    await setOperator(local(), 'b@example.com', false);
    await pass(RAISE_TICKS, FAILS);
    expect((await mails()).map(({ recipient }) => recipient).sort()).toEqual(['a@example.com', 'c@example.com']);
  });

  test('is not sent without operators, and is sent once there are some if still raised', async () => {
    await pass(RAISE_TICKS, FAILS);
    expect([await mails(), await waiting()]).toEqual([[], 0]);
    await setOperator(local(), 'late@example.com', true);
    now += DAY_MS;
    await pass(1, FAILS);
    expect(await subjects()).toEqual([`Still raised: ${TITLE}`]);
  });
});

describe('the certificate of the service', () => {
  const add = (id: string, accountId: string | null, days: number) =>
    database.d1
      .prepare(
        `insert into certificates (id, account_id, pass_type_id, team_id, certificate_pem, intermediate_pem, private_key_sealed,
          development, valid_from, valid_to, created_at) values (?1, ?2, 'pass.' || ?1, 'T', '', '', '', 0, 0, ?3, 0)`,
      )
      .bind(id, accountId, START + days * DAY_MS)
      .run();

  test('alerts operators 30 and 7 days before it expires, although many of accounts expire earlier', async () => {
    onTestFinished(async () => void (await database.d1.prepare('delete from certificates').run()));
    await setOperator(local(), 'ops@example.com', true);
    for (let i = 0; i < 30; i++) await add(`account-${i}`, `a${i}`, 10);
    await add('service', null, 40);
    const raised = async () => (await subjects()).filter((subject) => /service expires/.test(String(subject)));
    await pass(RAISE_TICKS);
    expect(await raised()).toEqual([]);
    now = START + 11 * DAY_MS;
    await pass(RAISE_TICKS);
    expect(await raised()).toEqual(['Alert: The certificate of the service expires within 30 days']);
    const text = (await mails()).map((mail) => String(mail.text)).find((one) => one.startsWith('pass.service'));
    expect(text).toMatch(/^pass\.service \(the service\): 2027-01-02\.\n\nNext step: Renew it .* certificate import/);
    now = START + 34 * DAY_MS;
    await pass(RAISE_TICKS);
    expect((await raised()).at(-1)).toBe('Alert: The certificate of the service expires within 7 days');
  });
});

describe('the limits', () => {
  /** Returns an idle service's measurements with some replaced. */
  async function seen(other: Partial<Observation>): Promise<Observation> {
    const ctx = local();
    const results = await ctx.db.batch(gaugeStatements(ctx, now));
    return { ...(await measurementOf(ctx, results, now)), tasks: [], ...other };
  }

  /** Returns the names of the alerts that an observation raises. */
  function raisedBy(observation: Observation): string[] {
    return Object.entries(ALERTS).flatMap(([name, definition]) => {
      let row: ServiceAlert | undefined;
      for (let i = 0; i < RAISE_TICKS; i++) {
        const next = nextAlert(definition, row, { ...observation, at: observation.at + i * MINUTE_MS });
        row = next?.row && { name, ...next.row };
      }
      return row?.raisedAt ? [name] : [];
    });
  }

  const expiring = (days: number, accountId: string | null, isDevelopment = false) => [
    { id: 'c', accountId, accountName: accountId, passTypeId: 'pass.a', validTo: START + days * DAY_MS, isDevelopment },
  ];
  const certificate = (days: number, isDevelopment = false) => ({ certificates: expiring(days, 'a', isDevelopment) });
  // A measurement lists them among the others.
  const ofService = (days: number, isDevelopment = false) => {
    const certificates = expiring(days, null, isDevelopment);
    return { certificates, serviceCertificates: certificates };
  };

  test('name the certificates that are measured, count the others, and mails name all', async () => {
    await setOperator(local(), 'ops@example.com', true);
    await database.d1
      .prepare("insert into accounts (id, name, created_at) values ('a', 'https://evil.example', 0)")
      .run();
    onTestFinished(async () => {
      await database.d1.prepare('delete from certificates').run();
      await database.d1.prepare("delete from accounts where id = 'a'").run();
    });
    const add = database.d1.prepare(
      `insert into certificates (id, account_id, pass_type_id, team_id, certificate_pem, intermediate_pem,
        private_key_sealed, development, valid_from, valid_to, created_at)
        values (?, 'a', ?, 'T', '', '', '', 0, 0, ?, 0)`,
    );
    const values = Array.from({ length: 25 }, (_, i) => [`c${i}`, `pass.${i}`, START + (i + 0.5) * DAY_MS]);
    await database.d1.batch(values.map((one) => add.bind(...one)));
    await pass(RAISE_TICKS);
    expect(await rows()).toMatchObject([
      {
        name: 'certificates-7',
        detail: expect.stringMatching(/^pass\.0 .* pass\.6 \(https:\/\/evil\.example\): \S+$/),
      },
      {
        name: 'certificates-30',
        detail: expect.stringMatching(/ pass\.19 \(https:\/\/evil\.example\): \S+ And 5 more\.$/),
      },
    ]);
    const [soon, later] = await mails();
    expect(String(soon!.text).match(/pass\.\u200b\d+ /g)).toHaveLength(7);
    expect(String(soon!.text)).toContain('(https:\u200b//evil.\u200bexample)');
    expect(String(later!.text).match(/pass\.\u200b\d+ /g)).toHaveLength(25);
  });

  const backlog = (name: string, oldestMs: number) => async () => {
    const idle = await seen({});
    return { backlog: { ...idle.backlog, [name]: { waiting: 3, hasMore: false, oldestMs } } };
  };

  test.each<[string, () => Partial<Observation> | Promise<Partial<Observation>>, string[]]>([
    ['an idle service', () => ({}), []],
    ['a lag of two minutes', () => ({ webhookLagMs: 2 * MINUTE_MS }), ['webhook-lag']],
    ['a lag of a minute', () => ({ webhookLagMs: MINUTE_MS }), []],
    ['a database of 79 %', () => ({ databaseBytes: DATABASE_BYTES_MAX * 0.79 }), []],
    ['a database of 80 %', () => ({ databaseBytes: DATABASE_BYTES_MAX * 0.8 }), ['database-80']],
    ['a database of 90 %', () => ({ databaseBytes: DATABASE_BYTES_MAX * 0.9 }), ['database-90', 'database-80']],
    ['a certificate of 31 days', () => certificate(31), []],
    ['a certificate of 29 days', () => certificate(29), ['certificates-30']],
    ['a certificate of 6 days', () => certificate(6), ['certificates-7', 'certificates-30']],
    ['a certificate that has ended', () => certificate(-1), ['certificates-7', 'certificates-30']],
    ['a certificate of a local service', () => certificate(1, true), []],
    ['a certificate of the service of 31 days', () => ofService(31), []],
    ['a certificate of the service of 29 days', () => ofService(29), ['service-certificate-30']],
    ['a certificate of the service of 6 days', () => ofService(6), ['service-certificate-7', 'service-certificate-30']],
    ['a push that has waited for half an hour', backlog('pushes', 30 * MINUTE_MS), ['backlog-pushes']],
    ['an event that has waited for five minutes', backlog('events', 5 * MINUTE_MS), ['backlog-events']],
    [
      'five jobs that failed within an hour',
      () => ({ failedJobs: { waiting: 9, hasMore: false, oldestMs: 1, lastHour: 5 } }),
      ['failed-jobs'],
    ],
    ['a task that is slow', () => ({ tasks: [{ task: 'a', status: 'overdue' }] }), ['cron-tasks']],
  ])('classify %s correctly', async (_, other, names) => {
    expect(raisedBy(await seen(await other()))).toEqual(names);
  });

  test('each have a next step, and a section of the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
    const sections = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));
    for (const [name, definition] of Object.entries(ALERTS)) {
      expect(definition.nextStep, name).toMatch(/\.$/);
      expect(sections, name).toContain(docsOf(definition).split('#')[1]);
    }
  });
});
