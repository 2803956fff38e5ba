import { eq } from 'drizzle-orm';
import type { CreateTemplateBody } from '../../client/src/index.ts';
import { deleteAccount } from '../../src/domain/account-deletion/delete-account.ts';
import { createAccount } from '../../src/domain/accounts/create-account.ts';
import { accounts } from '../../src/domain/accounts/table.ts';
import { type Context, contextIn, inAccount, inDatabase } from '../../src/domain/context.ts';
import { readMap } from '../../src/domain/databases/follow-moves.ts';
import { usedDatabases } from '../../src/domain/databases/list-databases.ts';
import { DIRECTORY } from '../../src/domain/shard-map.ts';
import type { Env } from '../../src/platform/env.ts';
import { called, walletOf } from '../public-api.ts';
import { Problem } from '../settings.ts';

/** The test's account, which exists for seconds. One left by an earlier run is deleted, too. */
const ACCOUNT_NAME = 'Smoke test of a deployment (deleted automatically)';

/** A new address is available everywhere within a minute. */
const HEALTH_MS_MAX = 120_000;
const PAUSE_MS = 2_000;
const NO_CERTIFICATE = 422;

/** Waits until the deployment answers and is healthy. Throws a `Problem` with its last answer otherwise. */
export async function awaitHealth(address: string, msMax = HEALTH_MS_MAX): Promise<void> {
  const until = Date.now() + msMax;
  for (;;) {
    const said = await healthOf(address);
    if (said === undefined) return;
    if (Date.now() > until) throw new Problem(`${address}/health is not healthy: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function healthOf(address: string): Promise<string | undefined> {
  try {
    const reply = await fetch(`${address}/health`, { signal: AbortSignal.timeout(HEALTH_MS_MAX) });
    return reply.status === 200 ? undefined : `${reply.status} ${(await reply.text()).slice(0, 200)}`;
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}

/** Result of the test. */
export interface SmokeResult {
  /** Names of the tested databases. */
  databases: string[];
  /** False if the deployment has no signing certificate, and so no pass file yet. */
  hasPassFile: boolean;
}

/**
 * Creates a pass at the deployed address in each database that the service uses, downloads its page and file, and
 * deletes it, all in accounts that are deleted as well. `bound` has the databases by binding. Throws a `Problem` that
 * names the database and the failed step.
 */
export async function smokeTest(address: string, bound: ReadonlyMap<string, D1Database>): Promise<SmokeResult> {
  const env = { ...Object.fromEntries(bound), BASE_URL: address } as unknown as Env;
  const ctx = contextIn(env, DIRECTORY, { requestId: crypto.randomUUID(), waitUntil: () => {} });
  await readMap(ctx);
  const databases = (await usedDatabases(ctx)).map(({ name }) => name);
  let hasPassFile = true;
  for (const database of databases) {
    const tried = await tryDatabase(ctx, address, database).catch((error) => {
      throw error instanceof Problem ? new Problem(`${database}: ${error.message}`) : error;
    });
    hasPassFile &&= tried.hasPassFile;
  }
  return { databases, hasPassFile };
}

async function tryDatabase(ctx: Context, address: string, database: string): Promise<TriedPass> {
  await deleteLeftovers(inDatabase(ctx, database));
  const { account, apiKey } = await createAccount(ctx, { name: ACCOUNT_NAME }, { database });
  const clear = () => deleteAccount(inAccount(ctx, account.id), account.id, ACCOUNT_NAME);
  const result = await tryPass(address, apiKey).catch(async (error) => {
    // The first failure matters more; the next run deletes the account.
    await clear().catch(() => {});
    throw error;
  });
  await clear();
  return result;
}

async function deleteLeftovers(ctx: Context): Promise<void> {
  const left = await ctx.db.select({ id: accounts.id }).from(accounts).where(eq(accounts.name, ACCOUNT_NAME));
  for (const { id } of left) await deleteAccount(ctx, id, ACCOUNT_NAME);
}

const TEMPLATE: CreateTemplateBody = {
  name: 'Smoke test',
  description: 'Smoke test',
  organizationName: 'Smoke test',
  type: 'generic',
  fields: { primaryFields: [{ key: 'title', type: 'text', label: 'Smoke test', value: 'Works' }] },
};

type TriedPass = Pick<SmokeResult, 'hasPassFile'>;

async function tryPass(address: string, apiKey: string): Promise<TriedPass> {
  const wallet = walletOf(address, apiKey);
  const { data: template } = await called(wallet.createTemplate({ body: TEMPLATE }));
  const order = { templateId: template.identifier };
  const { data: made } = await called(wallet.createPassV3({ query: { async: false }, body: { data: order } }));
  const own = (link: string) => address + new URL(link).pathname;
  await expectStatus('The page of the pass', own(made.downloadPage), 200);
  const file = await fetch(own(made.passFileUri));
  const hasPassFile = file.status === 200;
  if (!hasPassFile && file.status !== NO_CERTIFICATE) throw await unexpected('The pass file', file, 200);
  if (hasPassFile && (await file.text()).slice(0, 2) !== 'PK') throw new Problem('The pass file is not a ZIP archive.');
  await called(wallet.deletePassV3({ path: { id: made.identifier } }));
  await expectStatus('The page of the deleted pass', own(made.downloadPage), 404);
  return { hasPassFile };
}

async function expectStatus(what: string, url: string, status: number): Promise<Response> {
  const reply = await fetch(url);
  if (reply.status !== status) throw await unexpected(what, reply, status);
  return reply;
}

async function unexpected(what: string, reply: Response, status: number): Promise<Problem> {
  const text = (await reply.text()).slice(0, 300);
  return new Problem(`${what} was answered with ${reply.status} instead of ${status}: ${text}`);
}
