import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runAdminCommand } from '../scripts/admin-client.ts';
import { createDevelopmentAuthority } from '../scripts/development-ca.ts';
import { Problem } from '../scripts/settings.ts';
import { JobLog } from './job-log.ts';
import { pin } from './processors.ts';
import { type Results, result } from './results.ts';
import { quantile } from './rounds.ts';
import type { BenchOptions } from './run-options.ts';
import { copyPasses } from './seed.ts';
import { passFields, TEMPLATE } from './template.ts';
import { type BuiltWorker, buildWorker, migrate, type RunningWorkers, startWorkers } from './workers.ts';

/*
 * A template notification to many active passes, from the moment the cron queues it until the last device is notified.
 * Both sides push through a service binding in place of the mTLS certificate; its other end always answers 200.
 */

const PASS_TYPE_ID = 'pass.com.example.bench';
const BINDING = 'APNS';
const FAR_END = `export default { async fetch(request) { await request.text(); return new Response(null, { status: 200 }); } };`;
/** Measured fan-outs per side, after a warm-up that is discarded. */
const ROUNDS = 3;
/** Parts of the template that the floor handles concurrently, like the pages that the queue hands to the product. */
const FLOOR_PARTS = 8;
const DEADLINE_MS = 15 * 60_000;
const PAUSE_MS = 20;

/** Measurements of one fan-out. */
interface Run {
  pushesPerSecond: number;
  rowsReadPerPush: number;
  rowsWrittenPerPush: number;
}

type Pair = RunningWorkers<'ours' | 'floor'>;

/** Measures fan-outs against the floor. */
export async function measureFanOut({ active, folder, processors, say }: BenchOptions): Promise<Results> {
  const stateDir = join(folder, 'fan-out-state');
  mkdirSync(stateDir);
  const [ours, floor] = await Promise.all([
    buildWorker(join(folder, 'fan-out-ours')),
    buildWorker(join(folder, 'fan-out-floor'), 'bench/floor/fan-out.ts'),
  ]);
  const secrets = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  say(`Seeding ${active.toLocaleString('en')} active passes …`);
  const templateId = await seed({ ...ours, variables: secrets }, stateDir, active);

  const log = new JobLog();
  // Without ADMIN_TOKEN, like a deployment: a local service's dev inbox would store everything it sends.
  const built: Record<'ours' | 'floor', BuiltWorker> = {
    ours: { ...ours, variables: secrets, consumes: true, services: { [BINDING]: FAR_END } },
    floor: { ...floor, services: { [BINDING]: FAR_END } },
  };
  const workers = await startWorkers(built, stateDir, log.take);
  try {
    pin(workers.pid, processors?.server);
    pin(process.pid, processors?.client);
    const runs = { ours: [] as Run[], floor: [] as Run[] };
    for (let round = 0; round <= ROUNDS; round++) {
      say(`Fan-out ${round + 1} of ${ROUNDS + 1} …`);
      runs.ours.push(await runOurs(workers, log, templateId, active, round));
      runs.floor.push(await runFloor(workers, templateId, active));
    }
    return compared(runs.ours.slice(1), runs.floor.slice(1));
  } finally {
    await workers.stop();
  }
}

function compared(ours: Run[], floor: Run[]): Results {
  const median = (runs: Run[], name: keyof Run) => quantile(runs.map((run) => run[name]));
  const both = (name: keyof Run) => [median(ours, name), median(floor, name)] as const;
  const [written] = both('rowsWrittenPerPush');
  return {
    push_fan_out: result(...both('pushesPerSecond'), 'pushes/s'),
    push_fan_out_rows_read: result(...both('rowsReadPerPush'), 'rows/push'),
    // The floor writes no rows.
    push_fan_out_rows_written: result(written, 0, 'rows/push', written),
  };
}

/** Sets up an account and a template, and copies one pass on a device many times. Returns the template's identifier. */
async function seed(ours: BuiltWorker, stateDir: string, active: number): Promise<string> {
  const adminToken = randomBytes(32).toString('hex');
  const workers = await startWorkers(
    { ours: { ...ours, variables: { ...ours.variables, ADMIN_TOKEN: adminToken } } },
    stateDir,
  );
  try {
    const { database, origins } = workers;
    await migrate(database);
    const address = { origin: origins.ours, adminToken };
    const { apiKey } = await runAdminCommand<{ apiKey: string }>(address, 'account create', { name: 'Bench' });
    const facts = { passTypeId: PASS_TYPE_ID, teamId: 'BENCHTEAM1', organizationName: 'Northwind Climbing Hall' };
    const { rootPem: _, ...files } = await createDevelopmentAuthority(facts);
    const imported = await runAdminCommand<{ certificateId: string }>(address, 'certificate import', {
      ...files,
      development: true,
    });
    await runAdminCommand(address, 'certificate push', { id: imported.certificateId, 'mtls-binding': BINDING });
    const create = async (path: string, body: object): Promise<string> => {
      const headers = { Authorization: apiKey, 'Content-Type': 'application/json' };
      const reply = await fetch(origins.ours + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!reply.ok) throw new Problem(`POST ${path} was answered with ${reply.status}: ${await reply.text()}`);
      return ((await reply.json()) as { data: { identifier: string } }).data.identifier;
    };
    const templateId = await create('/api/v2/pass-template', TEMPLATE);
    const first = await create('/api/v3/pass', { data: { templateId, ...passFields(0) } });
    await database.prepare('update passes set number_of_active = 1 where id = ?').bind(first).run();
    await copyPasses(database, first, active - 1);
    await database
      .prepare(
        `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
         select printf('%032x', key), ?, id, account_id, printf('%064x', key), 1, null from passes where template_id = ?`,
      )
      .bind(PASS_TYPE_ID, templateId)
      .run();
    return templateId;
  } finally {
    await workers.stop();
  }
}

/** Stores a notification like the cron, and waits until its fan-out has ended and each pass has its text. */
async function runOurs(
  { database, produce }: Pair,
  log: JobLog,
  templateId: string,
  active: number,
  round: number,
): Promise<Run> {
  const id = crypto.randomUUID();
  const text = `The hall closes early today (${round})`;
  await database
    .prepare(
      `insert into notifications (id, account_id, template_id, publication_at, text, state, due_at, created_at, executed_at)
       select ?, account_id, id, 1, ?, 'executed', ?, 1, 1 from templates where id = ?`,
    )
    .bind(id, text, Date.now() + DEADLINE_MS, templateId)
    .run();
  log.clear();
  const begin = performance.now();
  await produce.ours('JOBS', { type: 'push-template-notification', notificationId: id });
  const left = database.prepare(
    'select taken_over_at, (select count(*) from push_fan_outs) as fan_outs from notifications where id = ?',
  );
  for (;;) {
    const state = await left.bind(id).first<{ taken_over_at: number | null; fan_outs: number }>();
    if (state?.taken_over_at && state.fan_outs === 0) break;
    if (performance.now() - begin > DEADLINE_MS) throw new Problem('The fan-out does not end.');
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const seconds = (performance.now() - begin) / 1_000;
  const told = await database
    .prepare('select count(*) as n from passes where push_text = ?')
    .bind(text)
    .first<{ n: number }>();
  if (told?.n !== active) throw new Problem(`${told?.n} of ${active} passes have their text.`);
  const { rowsRead, rowsWritten } = log.sum();
  return {
    pushesPerSecond: active / seconds,
    rowsReadPerPush: rowsRead / active,
    rowsWrittenPerPush: rowsWritten / active,
  };
}

async function runFloor({ database, origins }: Pair, templateId: string, active: number): Promise<Run> {
  const range = await database
    .prepare('select min(key) - 1 as first, max(key) as last from passes where template_id = ?')
    .bind(templateId)
    .first<{ first: number; last: number }>();
  const { first, last } = range!;
  const edge = (part: number) => first + Math.round(((last - first) * part) / FLOOR_PARTS);
  const begin = performance.now();
  const parts = await Promise.all(
    Array.from({ length: FLOOR_PARTS }, async (_, part) => {
      const query = new URLSearchParams({
        template: templateId,
        after: String(edge(part)),
        last: String(edge(part + 1)),
      });
      const reply = await fetch(`${origins.floor}/?${query}`);
      return (await reply.json()) as { pushes: number; rowsRead: number };
    }),
  );
  const seconds = (performance.now() - begin) / 1_000;
  const pushes = parts.reduce((sum, part) => sum + part.pushes, 0);
  if (pushes !== active) throw new Problem(`The floor has pushed ${pushes} times instead of ${active}.`);
  const rowsRead = parts.reduce((sum, part) => sum + part.rowsRead, 0);
  return { pushesPerSecond: active / seconds, rowsReadPerPush: rowsRead / active, rowsWrittenPerPush: 0 };
}
