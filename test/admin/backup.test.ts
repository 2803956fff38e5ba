import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunCommand } from '../../scripts/admin-worker.ts';
import { makeBackup } from '../../scripts/backup/make-backup.ts';
import { restoreBackup } from '../../scripts/backup/restore-backup.ts';
import type { Report } from '../../scripts/cli/progress.ts';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { type Client, clientOf } from '../support/api.ts';
import { eventually } from '../support/control.ts';
import { type OutsideServer, openServer } from '../support/outside-server.ts';
import { SimulatedPhone } from '../support/phone.ts';
import { type RestartableWorker, startRestartableWorker } from '../support/restartable-worker.ts';
import { sampleTemplate } from '../support/samples.ts';
import { verify } from '../support/standard-webhooks.ts';
import { subscribed, told } from '../support/webhooks.ts';

/*
 * A service is backed up while in use. All its data is lost, and another service takes over its address.
 */

const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const key = randomBytes(32);
const folder = mkdtempSync(join(tmpdir(), 'backup-'));
const parent = mkdtempSync(join(tmpdir(), 'backup-more-'));
const VARIABLES = { ENCRYPTION_KEY, ALLOW_LOCAL_TARGETS: 'true', LIMITS_BY_ADDRESS: 'off' };
const SECRET = 'Augusta Ada King';

let worker: RestartableWorker;
let receiver: OutsideServer;
let client: Client;
const phone = new SimulatedPhone();

const at = (path: string) => `${worker.origin}${path}` as `http://${string}`;
const run = () => worker.admin as RunCommand;

interface Seen {
  templateId: string;
  passes: { identifier: string; downloadPage: string; passFileUri: string }[];
  hookId: string;
  secret: string;
  processId: string;
}
let seen: Seen;
/** A client with a pass in another database. */
let elsewhere: { client: Client; identifier: string };

async function create(templateId: string, data: object) {
  const reply = await client.post(at('/api/v3/pass?async=false'), { data: { templateId, ...data } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body.data;
}

async function passInAnotherDatabase() {
  const account = { name: 'Elsewhere', database: 'DB_1' };
  const { accountId, apiKey } = await worker.admin<{ accountId: string; apiKey: string }>('account create', account);
  const other = clientOf(accountId, apiKey);
  const template = await other.post(at('/api/v2/pass-template'), sampleTemplate());
  const { body } = await other.post(at('/api/v3/pass'), { data: { templateId: template.body.data.identifier } });
  expect(body.data.identifier).toMatch(/0001$/);
  return { client: other, identifier: body.data.identifier as string };
}

/** Returns what callers and holders see of the service. */
async function view() {
  const { templateId, passes, hookId, processId } = seen;
  const { body: hooks } = await client.get(at('/api/hook/list'));
  const { body: process } = await client.get(at(`/api/v3/process/${processId}`));
  const { body: apart } = await elsewhere.client.get(at(`/api/v3/pass/${elsewhere.identifier}`));
  const { body: template } = await client.get(at(`/api/v2/pass-template/${templateId}`));
  const shown = await Promise.all(
    passes.map(async ({ identifier, downloadPage }) => ({
      pass: (await client.get(at(`/api/v3/pass/${identifier}`))).body,
      page: (await fetch(downloadPage)).status,
    })),
  );
  const found = await client.post(at('/api/v3/passinstance/search'), { searchPhrase: 'augusta' });
  return { hooks, hookId, process, template, shown, apart, found: found.body.data };
}

beforeAll(async () => {
  receiver = await openServer(() => ({}));
  worker = await startRestartableWorker(VARIABLES);
  client = worker.client;
  const { rootPem: _, ...authority } = await createDevelopmentAuthority({
    passTypeId: 'pass.com.example.test',
    teamId: 'TESTTEAM01',
    organizationName: 'Example Organization',
  });
  await worker.admin('certificate import', { ...authority, development: true });
  await worker.admin('database open', { name: 'DB_1' });
  elsewhere = await passInAnotherDatabase();
  const icon = readFileSync('scripts/demo/images/lindhof-icon.png').toString('base64');
  const template = await client.post(at('/api/v2/pass-template'), sampleTemplate({ images: { icon } }));
  const templateId: string = template.body.data.identifier;
  const passes = [await create(templateId, { 'Full name': SECRET }), await create(templateId, {})];
  const hook = await subscribed(client, `${receiver.address}/hook`, { origin: worker.origin });
  await phone.download(passes[0].passFileUri);
  expect([...(await phone.register()).values()]).toEqual([201]);
  const started = await client.patch(at('/api/v3/pass/bulk'), {
    data: { 'Full name': SECRET },
    filter: { identifiers: [passes[1].identifier, 'nobody'] },
  });
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  const { processId } = started.body.data;
  seen = { templateId, passes, hookId: hook.identifier, secret: hook.secret, processId };
  await eventually(async () => (await view()).process.data.status !== 'in progress');
});

afterAll(async () => {
  await worker?.close();
  await receiver?.close();
  for (const path of [folder, parent]) rmSync(path, { recursive: true, force: true });
});

/** Records the last reported share of each step. */
class RecordedProgress implements Report {
  readonly shares: Record<string, number> = {};
  #label = '';

  step(label: string): void {
    this.#label = label;
    this.shares[label] = 0;
  }

  /** A restore has nothing to warn of. */
  say(line: string): void {
    expect.fail(line);
  }

  at(done: number, total: number): void {
    const share = done / total;
    expect(share).toBeGreaterThanOrEqual(this.shares[this.#label]!);
    this.shares[this.#label] = share;
  }
}

/** Returns the folder of the first test's backup. Makes one if that test doesn't run. */
async function firstBackup(): Promise<string> {
  const made = join(folder, 'a');
  if (!existsSync(made)) await makeBackup(run(), made, key);
  return made;
}

describe('a backup', () => {
  test('restores a lost service, and is useless without its key', async () => {
    const before = await view();
    expect(before.found).toHaveLength(2);
    // Uses the service during the backup, at a rate below the limit of a key.
    let isDone = false;
    const use = async () => {
      while (!isDone) {
        await create(seen.templateId, { 'Full name': 'Grace' });
        await setTimeout(60_000 / 500);
      }
    };
    const using = use();
    const copying = new RecordedProgress();
    const counts = await makeBackup(run(), join(folder, 'a'), key, copying);
    expect(copying.shares).toEqual({ 'Copying tables': 1, 'Copying files': 0 });
    isDone = true;
    await using;
    expect(counts).toMatchObject({ processes: 1 });
    expect(counts.files).toBeGreaterThan(0);
    for (const name of readdirSync(join(folder, 'a'))) {
      expect(readFileSync(join(folder, 'a', name)).includes(SECRET), name).toBe(false);
    }

    const port = Number(new URL(worker.origin).port);
    await worker.close();
    worker = await startRestartableWorker(VARIABLES, '127.0.0.1', port);
    await expect(restoreBackup(run(), join(folder, 'a'), randomBytes(32), { replace: true })).rejects.toThrow(
      'BACKUP_KEY is not its key',
    );
    // The new service already has an account, so the restore needs --replace.
    await expect(restoreBackup(run(), join(folder, 'a'), key, { replace: false })).rejects.toThrow('--replace');
    const report = new RecordedProgress();
    expect(await restoreBackup(run(), join(folder, 'a'), key, { replace: true, report })).toEqual(counts);
    expect(report.shares).toMatchObject({ 'Verifying the backup': 0, 'Restoring rows': 1, 'Restoring processes': 0 });
    expect(Object.keys(report.shares)).toHaveLength(6);

    expect(await view()).toEqual(before);
    // Every pass is complete, even the last one before the backup.
    const { body: list } = await client.get(at(`/api/pass/list/${seen.templateId}`));
    for (const { identifier } of list.results) {
      expect((await client.get(at(`/api/v3/pass/${identifier}`))).status).toBe(200);
    }
    const file = await fetch(seen.passes[0]!.passFileUri);
    expect(file.headers.get('Content-Type')).toBe('application/vnd.apple.pkpass');
    // The device is registered and notified of changes.
    expect([...(await phone.register()).values()]).toEqual([200]);
    await client.patch(at(`/api/v3/pass/${seen.passes[0]!.identifier}?async=false`), { data: { Level: 'Gold' } });
    expect((await phone.update()).map(({ status }) => status)).toEqual(['updated']);
    // The webhook has its signing secret.
    const { identifier } = await create(seen.templateId, {});
    await eventually(async () => receiver.requests.some((request) => told(request).identifier === identifier));
    const request = receiver.requests.find((one) => told(one).identifier === identifier)!;
    expect(verify(seen.secret, request.headers, request.body.toString())).toBe(true);
    // A process can be resumed.
    const retried = await client.post(at(`/api/v3/process/${seen.processId}/retry`));
    expect(retried.status, JSON.stringify(retried.body)).toBeLessThan(300);
    // A key that the lost service never had is rejected.
    expect((await clientOf(client.accountId, 'unknown').get(at('/api/v3/pass/list'))).status).not.toBe(200);
  });

  test('is rejected if it is incomplete or damaged', async () => {
    cpSync(await firstBackup(), join(parent, 'b'), { recursive: true });
    await expect(makeBackup(run(), join(parent, 'b'), key)).rejects.toThrow('is not empty');
    const part = join(parent, 'b', 'table-accounts.bin');
    appendFileSync(part, 'x');
    await expect(restoreBackup(run(), join(parent, 'b'), key, { replace: true })).rejects.toThrow('damaged');
    unlinkSync(part);
    await expect(restoreBackup(run(), join(parent, 'b'), key, { replace: true })).rejects.toThrow('missing');
    unlinkSync(join(parent, 'b', 'manifest.bin'));
    await expect(restoreBackup(run(), join(parent, 'b'), key, { replace: true })).rejects.toThrow('unfinished');
    await expect(makeBackup(run(), join(parent, 'b'), key)).rejects.toThrow('unfinished');
  });

  test('is rejected by a service with other encryption keys', async () => {
    const made = await firstBackup();
    const other = await startRestartableWorker();
    try {
      const restored = restoreBackup(other.admin as RunCommand, made, key, { replace: true });
      await expect(restored).rejects.toThrow('encryption keys of the service differ');
    } finally {
      await other.close();
    }
  });
});
