import { type Client, freshAccount, type Reply } from './api.ts';
import { d1 } from './control.ts';
import { COPIED_PASS, copyRow } from './copy-row.ts';

/** A process in an API reply. */
export interface ProcessBody {
  current: number;
  total: number;
  createdOn: string;
  status: 'in progress' | 'finished' | 'finished with errors';
  errors: Record<string, string> | null;
  cancelled?: number;
  /** Counts by name, if the process has a result. */
  result?: Record<string, unknown>;
}

/** Returns the processes in a stream of server-sent events. */
export function toldBy(events: string): ProcessBody[] {
  return [...events.matchAll(/^event: process\ndata: (.*)\n\n/gm)].map(([, data]) => JSON.parse(data!));
}

/** Waits for the process that a bulk request started, by its events, and returns it. */
export async function ended(client: Client, started: Reply): Promise<ProcessBody> {
  if (started.status !== 202) throw new Error(`expected 202, got ${started.status}: ${JSON.stringify(started.body)}`);
  const { body } = await client.get(`/api/v3/process/${started.body.data.processId}/events`);
  const last = toldBy(body).at(-1);
  if (!last || last.status === 'in progress') throw new Error(`the events ended too early: ${body}`);
  return last;
}

/**
 * Copies a pass many times with different identifiers, barcode values and userProvidedIds (`<prefix>1` …). Returns the
 * identifiers in order.
 */
export async function crowdOf(id: string, prefix: string, rows: number): Promise<string[]> {
  const own = {
    ...COPIED_PASS,
    id: "printf('%s-7%03x-8%s', substr(id, 1, 13), numbers.value % 4096, printf('%03x-%08x%s', numbers.value / 4096, numbers.value, substr(id, -4)))",
    user_provided_id: `'${prefix}' || numbers.value`,
    barcode_value: `'code-${prefix}' || numbers.value`,
  };
  const copies = await copyRow(d1, { table: 'passes', where: 'id = ?', params: [id], rows, own });
  await d1(
    'update templates set pass_count = pass_count + ? where id = (select template_id from passes where id = ?)',
    [rows, id],
  );
  return copies;
}

/** Creates an account with a template and many passes. */
export async function crowdedAccount(rows: number) {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const { identifier } = await client.createPass(templateId, { userProvidedId: 'first' });
  const ids = await crowdOf(identifier, 'crowd-', rows);
  return { client, templateId, ids };
}

/** The same, with passes that the service itself creates, because search needs its index. */
export async function createdCrowd(rows: number) {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  await client.createPass(templateId, { userProvidedId: 'first' });
  const passes = Array.from({ length: rows }, (_, i) => ({ userProvidedId: `crowd-${i + 1}` }));
  const created = await ended(client, await client.post('/api/v3/pass/bulk/create', { templateId, passes }));
  if (created.status !== 'finished') throw new Error(`not all were created: ${JSON.stringify(created)}`);
  return { client, templateId };
}

/**
 * Returns how often a template's passes have changed: number of passes by version, and of `pass_updated` events by
 * pass.
 */
export async function changesOf(templateId: string) {
  const versions = await d1<{ version: number; passes: number }>(
    'select version, count(*) as passes from passes where template_id = ? group by version',
    [templateId],
  );
  const events = await d1<{ events: number; passes: number }>(
    `select events, count(*) as passes from
      (select count(*) as events from account_events where template_id = ? and type = 'pass_updated' group by pass_id) group by events`,
    [templateId],
  );
  return {
    passesByVersion: Object.fromEntries(versions.map((row) => [row.version, row.passes])),
    passesByEvents: Object.fromEntries(events.map((row) => [row.events, row.passes])),
  };
}
