import { generateKeyPairSync } from 'node:crypto';
import { runAdminCommand } from '../scripts/admin-client.ts';
import { Problem } from '../scripts/settings.ts';
import { type Growth, seedGrowth } from './growth.ts';
import { passFields, TEMPLATE } from './template.ts';

/** The data that the benchmark uses. */
export interface Seed {
  apiKey: string;
  templateId: string;
  /** PKCS#8 PEM of the Google issuer. */
  googleKeyPem: string;
  growth: Growth;
  scanners: Scanners;
}

/** Identifiers of app configurations: scans void in one, and record attendance in the other. */
export interface Scanners {
  voiding: string;
  noting: string;
}

/** Rows written by one statement. */
const CHUNK_ROWS = 50_000;

/** Returns the identifier of the template's nth pass, counted from 1: ordered by n, in the service's format. */
export function crowdId(n: number): string {
  const digits = n.toString(16).padStart(10, '0');
  return `0198f000-0000-7000-8000-${digits}00`;
}
/** Returns the barcode value of the template's nth pass. */
export function crowdCode(n: number): string {
  return `CROWD${String(n).padStart(11, '0')}`;
}
const CROWD_ID_SQL = `printf('0198f000-0000-7000-8000-%010x00', numbers.value)`;

/**
 * Sets up an account through the administration entry and the API, then copies one of its passes in the database until
 * there are `rows`.
 */
export async function seed(
  origin: string,
  adminToken: string,
  database: D1Database,
  rows: number,
  say: (text: string) => void,
): Promise<Seed> {
  const address = { origin, adminToken };
  const { apiKey } = await runAdminCommand<{ apiKey: string }>(address, 'account create', { name: 'Bench' });
  const googleKeyPem = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  await runAdminCommand(address, 'google-issuer import', {
    issuerId: '3388000000000000001',
    clientEmail: 'bench@example-project.iam.gserviceaccount.com',
    privateKeyPem: googleKeyPem,
    development: true,
  });
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const reply = await fetch(origin + path, {
      method,
      headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Problem(`${method} ${path} was answered with ${reply.status}: ${text}`);
    return JSON.parse(text);
  };
  const create = async (path: string, body: object): Promise<string> => (await ask('POST', path, body)).data.identifier;
  const scanner = async (scanMode: 0 | 1): Promise<string> =>
    (await ask('POST', '/api/appconfiguration', { name: 'Door', scanMode })).configuration[0].configurationId;
  const templateId = await create('/api/v2/pass-template', TEMPLATE);
  const first = await create('/api/v3/pass', { data: { templateId, ...passFields(0) } });
  await copyPasses(database, first, rows);
  const count = database.prepare('update templates set pass_count = pass_count + ? where id = ?');
  await count.bind(rows, templateId).run();
  const scanners = { voiding: await scanner(0), noting: await scanner(1) };
  return { apiKey, templateId, googleKeyPem, scanners, growth: await seedGrowth(ask, say) };
}

/** Copies a pass many times, with different unique and identifying values. The original has the highest identifier. */
export async function copyPasses(database: D1Database, id: string, rows: number): Promise<void> {
  const columns = await columnsOf(database, 'passes');
  const own: Record<string, string> = {
    key: 'null',
    google_published_at: 'null',
    google_kind: 'null',
    id: CROWD_ID_SQL,
    generated_id: "printf('CROWD%011d', numbers.value)",
    barcode_value: "printf('CROWD%011d', numbers.value)",
    user_provided_id: "printf('member-%09d', numbers.value)",
    // The original's secrets can't be decrypted in another row, so copies look like passes from before secrets existed.
    secrets: 'null',
    page_token: "printf('page-%017d', numbers.value)",
  };
  const values = columns.map((name) => own[name] ?? `passes.${name}`);
  const statement = database.prepare(
    `insert into passes (${columns}) with recursive numbers(value) as (select ?1 union all select value + 1 from numbers where value < ?2)
     select ${values} from passes, numbers where passes.id = ?3`,
  );
  for (let from = 1; from <= rows; from += CHUNK_ROWS) {
    await statement.bind(from, Math.min(from + CHUNK_ROWS - 1, rows), id).run();
  }
}

/** Returns the names of a table's columns. */
export async function columnsOf(database: D1Database, table: string): Promise<string[]> {
  const { results } = await database
    .prepare('select name from pragma_table_info(?)')
    .bind(table)
    .all<{ name: string }>();
  return results.map(({ name }) => name);
}
