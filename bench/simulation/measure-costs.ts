import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AdminAddress, runAdminCommand } from '../../scripts/admin-client.ts';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { Problem } from '../../scripts/settings.ts';
import { shardOf } from '../../src/platform/ids.ts';
import { type Caller, callerOf, ended } from '../caller.ts';
import { type DatabaseWork, WORK_PATH } from '../database-work.ts';
import type { BenchOptions } from '../run-options.ts';
import { passFields, TEMPLATE } from '../template.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { buildWorker, migrate, type RunningWorkers, startWorkers } from '../workers.ts';

/** Measurements of a service on this machine, for the simulation. */
export interface MeasuredTimes {
  /** Milliseconds of statements for a change without notifications, and for one with its push, webhook and device. */
  quietMillis: number;
  toldMillis: number;
  /**
   * Passes per second that a move copies, with their events and timelines, and milliseconds during which writes waited.
   */
  movedPerSecond: number;
  readOnlyMillis: number;
}

const PASSES = 2_000;
const CHANGES_OF_PASS = 10;
/** Measured changes, made one by one after a warm-up in which isolates load what they need. */
const CHANGES = 300;
const WARM_UP = 30;
const PASS_TYPE_ID = 'pass.com.example.bench';

type Service = AdminAddress & Pick<RunningWorkers<'ours'>, 'database'>;

/**
 * Changes passes one by one, in an account without listeners and in one that notifies about everything, and moves an
 * account.
 */
export async function measureCosts({ folder, say }: BenchOptions): Promise<MeasuredTimes> {
  const stateDir = join(folder, 'simulation-state');
  mkdirSync(stateDir);
  const adminToken = randomBytes(32).toString('hex');
  const variables = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BASE_URL: 'https://passes.example.com',
    ADMIN_TOKEN: adminToken,
    ALLOW_LOCAL_TARGETS: 'true',
  };
  const built = await buildWorker(join(folder, 'simulation'), 'bench/timed-worker.ts', { hasObjects: true });
  const databases = ['DB', 'DB_1'];
  const workers = await startWorkers({ ours: { ...built, variables, consumes: true, databases } }, stateDir);
  try {
    for (const name of databases) await migrate(await workers.databaseNamed(name));
    const service: Service = { origin: workers.origins.ours, adminToken, database: workers.database };
    await runAdminCommand(service, 'database open', { name: 'DB_1' });
    const quiet = await openAccount(service);
    say(`Creating ${PASSES.toLocaleString('en')} passes and changing each ${CHANGES_OF_PASS} times …`);
    await fill(quiet);
    say(`Changing ${CHANGES} passes one by one …`);
    const quietMillis = await timeChanges(service, quiet, async () => {});
    const toldMillis = await timeTold(service);
    say('Moving an account …');
    const { readOnlyMs, seconds } = await move(service, quiet.accountId);
    return { quietMillis, toldMillis, movedPerSecond: PASSES / seconds, readOnlyMillis: readOnlyMs };
  } finally {
    await workers.stop();
  }
}

interface Opened {
  accountId: string;
  templateId: string;
  call: Caller;
}

async function openAccount(service: Service): Promise<Opened> {
  const created = await runAdminCommand<{ accountId: string; apiKey: string }>(service, 'account create', {
    name: 'Bench',
    database: 'DB',
  });
  const call = callerOf(service.origin, created.apiKey);
  const { data } = await call('POST', '/api/v2/pass-template', TEMPLATE);
  return { accountId: created.accountId, templateId: data.identifier, call };
}

async function fill({ call, templateId }: Opened): Promise<void> {
  const passes = Array.from({ length: PASSES }, (_, i) => passFields(i));
  await ended(call, call('POST', '/api/v3/pass/bulk/create', { templateId, passes }));
  const filter = { query: { templateId, groups: [] } };
  for (let i = 0; i < CHANGES_OF_PASS; i++) {
    await ended(call, call('PATCH', '/api/v3/pass/bulk', { data: { level: `Level ${i}` }, filter }));
  }
}

/** Returns the milliseconds of statements for a pass change, including what `then` does and waits for. */
async function timeChanges(
  { origin }: Service,
  { call, templateId }: Opened,
  then: (identifier: string, change: number) => Promise<void>,
): Promise<number> {
  const { results } = await call('GET', `/api/pass/list/${templateId}?pageSize=100`);
  const identifiers = (results as { identifier: string }[]).map(({ identifier }) => identifier);
  const worked = async () => (await (await fetch(origin + WORK_PATH)).json()) as DatabaseWork;
  for (let i = 0; i < WARM_UP + CHANGES; i++) {
    if (i === WARM_UP) await worked();
    const identifier = identifiers[i % identifiers.length]!;
    await call('PATCH', `/api/v3/pass/${identifier}`, { data: { storedValue: i + 1 } });
    await then(identifier, i);
  }
  return (await worked()).millis / CHANGES;
}

/**
 * The same with a webhook, a device per pass, and the device's requests; a read stands in for the download. The dev
 * inbox stands in for Apple and writes two rows per push.
 */
async function timeTold(service: Service): Promise<number> {
  const told = await openAccount(service);
  const facts = { passTypeId: PASS_TYPE_ID, teamId: 'BENCHTEAM1', organizationName: 'Northwind Climbing Hall' };
  const { rootPem: _, ...files } = await createDevelopmentAuthority(facts);
  await runAdminCommand(service, 'certificate import', { ...files, account: told.accountId, development: true });
  const passes = Array.from({ length: 100 }, (_, i) => passFields(i));
  await ended(told.call, told.call('POST', '/api/v3/pass/bulk/create', { templateId: told.templateId, passes }));
  const of = 'where template_id = ?';
  await service.database.batch([
    service.database
      .prepare(
        `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
         select id, ?, id, account_id, printf('%064x', key), created_at, null from passes ${of}`,
      )
      .bind(PASS_TYPE_ID, told.templateId),
    service.database.prepare(`update passes set number_of_active = 1 ${of}`).bind(told.templateId),
  ]);
  const receiver = await openReceiver();
  try {
    const target_url = `${receiver.origin}/hook`;
    await told.call('POST', '/api/hook/subscribe', { target_url, event: 'pass_updated', retryEnabled: true });
    receiver.begin();
    return await timeChanges(service, told, async (identifier, change) => {
      await receiver.received(change + 1);
      const device = `/wallet/apple/${shardOf(identifier)}/v1/devices/${identifier}`;
      const asked = await fetch(`${service.origin}${device}/registrations/${PASS_TYPE_ID}`);
      if (!asked.ok) throw new Problem(`A device was answered with ${asked.status}.`);
      await told.call('GET', `/api/pass/${identifier}`);
    });
  } finally {
    receiver.close();
  }
}

async function move(service: Service, id: string): Promise<{ readOnlyMs: number; seconds: number }> {
  const begin = performance.now();
  for (;;) {
    const { done, readOnlyMs } = await runAdminCommand<{ done?: boolean; readOnlyMs?: number }>(
      service,
      'account move',
      { id, to: 'DB_1' },
    );
    if (done !== false) return { readOnlyMs: readOnlyMs!, seconds: (performance.now() - begin) / 1_000 };
  }
}
