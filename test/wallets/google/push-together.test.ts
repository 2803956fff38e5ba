import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { importGoogleIssuer } from '../../../src/domain/certificates/import-google-issuer.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import type { Job } from '../../../src/domain/jobs.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { patchPass } from '../../../src/domain/passes/update-pass.ts';
import { createTemplate } from '../../../src/domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { consumeBatch } from '../../../src/jobs/queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../../domain/local-database.ts';
import { jobQueues } from '../../support/fake-queue.ts';
import { GoogleStandIn } from '../../support/google-stand-in.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { openServer } from '../../support/outside-server.ts';
import { SAMPLE_FLIGHT, sampleTemplate, type TemplateInput } from '../../support/samples.ts';

const PASSES = 20;

let database: LocalDatabase;
let google: GoogleStandIn;
let account: AccountContext;

beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {});
  google = await GoogleStandIn.open(openServer);
  account = await database.accountContext();
  await importGoogleIssuer(acting(), account.account.id, google.newIssuer());
  return () => google.close();
});

function acting(): AccountContext {
  const context = database.context();
  const GOOGLE_PACE = { idFromName: (name: string) => name, get: () => ({ take: async () => 0 }) };
  const env = { ...context.env, ADMIN_TOKEN: 'local', ...jobQueues(() => {}), FILES: memoryBucket(), GOOGLE_PACE };
  return { ...context, env: env as unknown as AccountContext['env'], account: account.account };
}

async function newPasses(template: Partial<TemplateInput> = {}, fields: object = {}): Promise<string[]> {
  const { identifier } = await createTemplate(acting(), TemplateDefinition.parse(sampleTemplate(template)));
  const ids: string[] = [];
  for (let i = 0; i < PASSES; i++) {
    const { pass } = await createPass(acting(), identifier, { 'Full name': `Ada ${i}`, ...fields }, { wait: true });
    ids.push(pass.id);
  }
  return ids;
}

/** Consumes one batch with a job for each pass. Returns the passes whose messages are retried. */
async function consume(type: 'publish-to-google' | 'push-to-google', ids: string[]): Promise<string[]> {
  const [acked, retried] = [[] as string[], [] as string[]];
  const messages = ids.map((passId) => ({
    id: passId,
    timestamp: new Date(),
    attempts: 1,
    body: { type, accountId: account.account.id, passId } as Job,
    ack: () => acked.push(passId),
    retry: () => retried.push(passId),
  }));
  await consumeBatch({ queue: 'pass-wallet-pushes', messages } as never, acting().env, {
    waitUntil: () => {},
  } as never);
  expect([...acked, ...retried].sort()).toEqual([...ids].sort());
  return retried;
}

const names = (ids: string[]) => ids.map((id) => google.object(id)?.header.defaultValue.value);
const expected = (name: string) => Array.from({ length: PASSES }, (_, i) => `${name} ${i}`);
const rename = async (ids: string[], name: string) => {
  for (const [i, id] of ids.entries()) await patchPass(acting(), id, { 'Full name': `${name} ${i}` }, { wait: true });
};

test('20 passes reach Google with one token, one class and one batch request, and their changes with another one', async () => {
  const ids = await newPasses();
  expect(await consume('publish-to-google', ids)).toEqual([]);
  expect([names(ids), google.batches, google.tokensGiven]).toEqual([expected('Ada'), [PASSES], 1]);
  expect(google.calls).toHaveLength(PASSES + 1);
  await rename(ids, 'Grace');
  expect(await consume('push-to-google', ids)).toEqual([]);
  expect([names(ids), google.batches, google.tokensGiven]).toEqual([expected('Grace'), [PASSES, PASSES], 1]);
  expect(await consume('push-to-google', ids)).toEqual([]);
  expect(google.calls).toHaveLength(2 * PASSES + 1);
});

test('a call that fails in a batch is retried alone', async () => {
  const ids = await newPasses();
  await consume('publish-to-google', ids);
  await rename(ids, 'Grace');
  google.failures.push({ status: 503 }, { status: 400 }, { status: 429 });
  const retried = await consume('push-to-google', ids);
  expect(retried).toHaveLength(2);
  const before = google.calls.length;
  await database.d1.prepare('update requested_pushes set due_at = 0').all();
  expect(await consume('push-to-google', retried)).toEqual([]);
  expect(google.calls.length - before).toBe(2);
  expect(names(ids).filter((name) => name.startsWith('Ada'))).toHaveLength(1);
});

test('a batch without a valid token is repeated with a new one', async () => {
  const ids = await newPasses();
  await consume('publish-to-google', ids);
  await rename(ids, 'Grace');
  google.batchFailures.push({ status: 401 });
  expect(await consume('push-to-google', ids)).toEqual([]);
  expect([names(ids), google.tokensGiven]).toEqual([expected('Grace'), 2]);
});

test('a batch that Google refuses is sent as single calls', async () => {
  const ids = await newPasses();
  await consume('publish-to-google', ids);
  await rename(ids, 'Grace');
  google.batchFailures.push({ status: 404 });
  expect(await consume('push-to-google', ids)).toEqual([]);
  expect([names(ids), google.batches]).toEqual([expected('Grace'), [PASSES]]);
});

test('20 passengers of a flight update its class once', async () => {
  const ids = await newPasses({ type: 'boardingPass', transitType: 'PKTransitTypeAir' }, SAMPLE_FLIGHT);
  expect(await consume('publish-to-google', ids)).toEqual([]);
  const ofClasses = google.calls.filter(({ path }) => path.startsWith('/flightClass'));
  expect(ofClasses.length).toBeLessThanOrEqual(2);
  expect(google.calls.filter(({ path }) => path.startsWith('/flightObject'))).toHaveLength(PASSES);
});
