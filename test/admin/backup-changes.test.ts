import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunCommand } from '../../scripts/admin-worker.ts';
import { type BackupCounts, makeBackup } from '../../scripts/backup/make-backup.ts';
import { restoreBackup } from '../../scripts/backup/restore-backup.ts';
import { SILENT } from '../../scripts/cli/progress.ts';
import type { RowPage } from '../../src/domain/backups/database-pages.ts';
import { eventually } from '../support/control.ts';
import { type RestartableWorker, startRestartableWorker } from '../support/restartable-worker.ts';
import { sampleTemplate } from '../support/samples.ts';
import { subscribed } from '../support/webhooks.ts';

/* Rows change while a backup reads their table. */

const key = randomBytes(32);
const parent = mkdtempSync(join(tmpdir(), 'backup-changes-'));

let worker: RestartableWorker;
/** Its last pass has a unique property. */
let templates: string[];
let passId: string;
let processId: string;

const at = (path: string) => `${worker.origin}${path}` as '/';
const client = () => worker.client;

async function templateOf(name: string, userProvidedId?: string): Promise<string> {
  const additionalProperties = [{ name: 'Seat', type: 'text' as const, unique: true }, { name: 'Full name' }];
  const fields = { primaryFields: [{ key: 'seat', type: 'text' as const, label: 'Seat', value: '{Seat}' }] };
  const input = sampleTemplate({ name, userProvidedId, additionalProperties, fields } as object);
  const { status, body } = await client().post(at('/api/v2/pass-template'), input);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.identifier;
}

async function patch(path: string, data: object): Promise<void> {
  const reply = await client().patch(at(path), data);
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
}

const changePass = (data: object) => patch(`/api/v3/pass/${passId}?async=false`, { data });

beforeAll(async () => {
  worker = await startRestartableWorker({ ALLOW_LOCAL_TARGETS: 'true', LIMITS_BY_ADDRESS: 'off' });
  templates = [await templateOf('Stalls', 'seats'), await templateOf('Circle')];
  const data = { templateId: templates[0], Seat: 'B2', 'Full name': 'Augusta Ada King' };
  const made = await client().post(at('/api/v3/pass?async=false'), { data });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  passId = made.body.data.identifier;
  const bulk = { data: { 'Full name': 'Augusta Ada King' }, filter: { identifiers: [passId] } };
  processId = (await client().patch(at('/api/v3/pass/bulk'), bulk)).body.data.processId;
  await eventually(async () => {
    const { body } = await client().get(at(`/api/v3/process/${processId}`));
    return body.data.status !== 'in progress';
  });
});

afterAll(async () => {
  await worker?.close();
  rmSync(parent, { recursive: true, force: true });
});

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
});

let folders = 0;

/** Returns another page than the service gave. Pages of a table count from 0. */
type OtherPage = (page: RowPage, number: number) => Promise<RowPage>;

/** Backs up with other pages of these tables than the service gives, then restores. */
async function copy(others: Record<string, OtherPage>): Promise<BackupCounts[]> {
  const read = new Map<string, number>();
  const run: RunCommand = async <T>(command: string, options?: Record<string, unknown>): Promise<T> => {
    const reply = await worker.admin<T>(command, options);
    const table = String(options?.table);
    const other = command === 'backup rows' && options?.database === 'DB' ? others[table] : undefined;
    if (!other) return reply;
    const number = read.get(table) ?? 0;
    read.set(table, number + 1);
    return (await other(reply as RowPage, number)) as T;
  };
  const folder = join(parent, String(folders++));
  const made = await makeBackup(run, folder, key);
  for (const table of Object.keys(others)) expect(read.get(table), table).toBeGreaterThan(1);
  const report = { ...SILENT, say: (line: string) => void warnings.push(line) };
  return [made, await restoreBackup(worker.admin as RunCommand, folder, key, { replace: true, report })];
}

/** Changes something once the first page of a table was read, which ends with the row of this identifier. */
const onceRead =
  (change: () => Promise<unknown>, lastId?: string): OtherPage =>
  async ({ columns, rows, next }, number) => {
    if (number > 0) return { columns, rows, next };
    expect(rows.length).toBeGreaterThan(0);
    await change();
    if (lastId === undefined) return { columns, rows, next };
    const count = rows.findIndex((row) => row.includes(lastId)) + 1;
    expect(count).toBeGreaterThan(0);
    return { columns, rows: rows.slice(0, count), next: JSON.stringify([lastId]) };
  };

async function expectAllRestored(): Promise<void> {
  const found = await client().post(at('/api/v3/passinstance/search'), { searchPhrase: 'augusta' });
  expect(found.body.data).toHaveLength(1);
  expect((await client().get(at(`/api/v3/process/${processId}`))).status).toBe(200);
  expect((await client().get(at(`/api/v3/pass/${passId}`))).body.data).toMatchObject({ identifier: passId });
}

/** Returns the newest definitions of the templates as stored, because isolates cache them; null: it is missing. */
function definitions(): Map<string, string | null> {
  const rows = worker.read<{ id: string; definition: string | null }>(
    `select id, definition from templates
      left join template_versions on template_id = id and template_versions.version = templates.version order by id`,
  );
  return new Map(rows.map(({ id, definition }) => [id, definition]));
}

const stealSeat = (seat: string) =>
  client().post(at('/api/v3/pass?async=false'), { data: { templateId: templates[0], Seat: seat } });

const signingKeys = async () => (await client().get(at('/api/v3/signing/publickey'))).body.data;

describe('a restore', () => {
  let counts: BackupCounts[];
  let told: string[];
  /** Two templates that are edited. */
  let edited: [string, string];
  let edits = 0;
  // Changes of tables that don't depend on each other share a backup.
  beforeAll(async () => {
    const [one, two] = templates as [string, string];
    edited = [await templateOf('Gallery'), await templateOf('Boxes')];
    await signingKeys();
    counts = await copy({
      unique_property_values: onceRead(() => changePass({ 'Full name': 'Augusta' })),
      templates: onceRead(async () => {
        await patch(`/api/v2/pass-template/${one}`, { userProvidedId: null });
        await patch(`/api/v2/pass-template/${two}`, { userProvidedId: 'seats' });
      }, one),
      template_versions: onceRead(async () => {
        await patch(`/api/v2/pass-template/${edited[0]}`, { logoText: 'To the left' });
        await patch(`/api/v2/pass-template/${edited[1]}`, { logoText: 'To the right' });
        edits += 2;
      }),
      signing_keys: onceRead(() => worker.admin('signing-key rotate', { account: client().accountId })),
    });
    told = [...warnings];
  });

  const expectNothingMissing = () => {
    const [made, restored] = counts;
    expect([restored, told]).toEqual([made, []]);
    return expectAllRestored();
  };

  test('has every row of a pass that changed between two pages of its unique values', async () => {
    await expectNothingMissing();
    const refused = await stealSeat('B2');
    expect([refused.status, refused.body.errors.join()]).toEqual([400, expect.stringContaining('must be unique')]);
  });

  test('keeps both templates if one takes over the userProvidedId of the other', async () => {
    const ids = worker.read<{ id: string; name: string | null }>('select id, user_provided_id as name from templates');
    const [one, two] = templates;
    expect(new Map(ids.map(({ id, name }) => [id, name]))).toEqual(
      new Map([[one, null], [two, 'seats'], ...edited.map((id) => [id, null] as const)]),
    );
    await expectNothingMissing();
  });

  test('has the definition of a template that was edited between two pages of the definitions', async () => {
    // An error between two pages only repeats the page.
    expect(edits).toBe(2);
    expect(definitions().get(edited[0])).toContain('To the left');
    expect(definitions().get(edited[1])).toContain('To the right');
    await expectNothingMissing();
  });

  test('keeps a signing key that is rotated meanwhile, to verify its signatures', async () => {
    expect((await signingKeys()).publicKeys).toHaveLength(2);
    await expectNothingMissing();
  });

  test('claims the values that its passes have, if one changed after its value was read', async () => {
    // In the order of the backup, the new value comes before the one that was read.
    const [made, restored] = await copy({
      unique_property_values: onceRead(() => changePass({ Seat: 'A1' })),
    });
    expect([restored, warnings]).toEqual([made, []]);
    const refused = await stealSeat('A1');
    expect([refused.status, refused.body.errors.join()]).toEqual([400, expect.stringContaining('must be unique')]);
    await changePass({ Seat: 'B2' });
    expect((await stealSeat('A1')).status).toBe(200);
    expect((await stealSeat('B2')).status).toBe(400);
    await expectAllRestored();
  });

  test('takes the later of two rows with one key, as backups of earlier releases have them', async () => {
    const [account] = worker.read<{ name: string }>('select name from accounts');
    const [made, restored] = await copy({
      accounts: async (page, number) => {
        if (number > 0) return page;
        expect(page.rows).toHaveLength(1);
        const row = page.rows[0]!.replace(account!.name, 'Earlier name');
        return { ...page, rows: [row], next: JSON.stringify(['']) };
      },
    });
    expect(worker.read('select name from accounts')).toEqual([account]);
    expect(restored!.rows).toBeLessThan(made!.rows);
    expect(warnings).toEqual([expect.stringMatching(/^Warning: .* DB has fewer rows .*accounts \(\d+ of \d+\)/)]);
    await expectAllRestored();
  });

  test('has a template with its definitions that was deleted after the page with it', async () => {
    const id = await templateOf('Balcony');
    const left = () => worker.read(`select 1 from template_versions where template_id = '${id}'`);
    await copy({
      templates: onceRead(async () => {
        expect((await client().delete(at(`/api/pass-template/${id}`))).status).toBeLessThan(300);
        await eventually(() => left().length === 0);
      }),
    });
    expect(definitions().get(id)).toContain('Balcony');
    await expectAllRestored();
  });

  test('takes the later of two rows with one unique value, and warns', async () => {
    const subscribe = () => subscribed(client(), 'http://127.0.0.1:8080/hook', { origin: worker.origin });
    const { identifier } = await subscribe();
    let later = '';
    await copy({
      webhook_subscriptions: onceRead(async () => {
        await client().delete(at(`/api/hook/${identifier}`));
        later = (await subscribe()).identifier;
      }),
    });
    expect(warnings).toEqual([expect.stringContaining('webhook_subscriptions (1 of 2)')]);
    const { body } = await client().get(at('/api/hook/list'));
    expect(JSON.stringify(body)).toContain(later);
    expect(JSON.stringify(body)).not.toContain(identifier);
    await expectAllRestored();
  });
});

test.each([
  ['is being moved', { isMoving: true }, 'is being moved'],
  ['was moved meanwhile', { moves: ['0198f000-0000-7000-8000-000000000001 1'] }, 'was moved'],
])('is refused if an account %s', async (_, facts, message) => {
  let described = 0;
  const run: RunCommand = async <T>(command: string, options?: Record<string, unknown>): Promise<T> => {
    const reply = await worker.admin<T>(command, options);
    if (command !== 'backup describe') return reply;
    described += 1;
    return 'isMoving' in facts || described > 1 ? { ...reply, ...facts } : reply;
  };
  await expect(makeBackup(run, join(parent, String(folders++)), key)).rejects.toThrow(message);
});
