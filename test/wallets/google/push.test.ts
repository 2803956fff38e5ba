import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { chooseGoogleIssuer, googleIssuerQuery } from '../../../src/domain/certificates/find-google-issuer.ts';
import { importGoogleIssuer } from '../../../src/domain/certificates/import-google-issuer.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { type Job, RetryLater } from '../../../src/domain/jobs.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { deletePass } from '../../../src/domain/passes/deletion/delete-pass.ts';
import { resumeGoogleEnds } from '../../../src/domain/passes/deletion/tombstones.ts';
import { getDefinedPass } from '../../../src/domain/passes/find-pass.ts';
import { findGooglePass } from '../../../src/domain/passes/google/find-google-pass.ts';
import { movePass } from '../../../src/domain/passes/move-pass.ts';
import { openTokens } from '../../../src/domain/passes/page/links.ts';
import { sendPush } from '../../../src/domain/passes/push/send-push.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { patchPass, voidPass } from '../../../src/domain/passes/update-pass.ts';
import { createProject } from '../../../src/domain/projects/projects.ts';
import { patchTemplate } from '../../../src/domain/template-changes/change-template.ts';
import { createTemplate } from '../../../src/domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { publishTemplate } from '../../../src/domain/templates/publish-template.ts';
import { consumeBatch } from '../../../src/jobs/queue.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { RateLimiter } from '../../../src/platform/rate-limiter.ts';
import * as push from '../../../src/wallets/google/push.ts';
import { publishLinks, walletLinks } from '../../../src/wallets/links.ts';
import { type LocalDatabase, openLocalDatabase } from '../../domain/local-database.ts';
import { failingOnce } from '../../support/failing-once.ts';
import { jobQueues } from '../../support/fake-queue.ts';
import { GoogleStandIn } from '../../support/google-stand-in.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { openServer } from '../../support/outside-server.ts';
import { SAMPLE_FLIGHT, sampleTemplate, type TemplateInput } from '../../support/samples.ts';

vi.setConfig({ testTimeout: 30_000 });

let database: LocalDatabase;
let google: GoogleStandIn;
let account: AccountContext;
let templateId: string;
let jobs: Job[];
let limiter: RateLimiter;
let taken: { issuerId: string; calls: number }[];

beforeAll(async () => {
  database = await openLocalDatabase();
  account = await database.accountContext();
});
afterAll(() => database.close());

beforeEach(async () => {
  google = await GoogleStandIn.open(openServer);
  jobs = [];
  taken = [];
  limiter = new RateLimiter(1_000_000);
  account = await database.accountContext();
  await importGoogleIssuer(acting(), account.account.id, google.newIssuer());
  templateId = await newTemplate();
  return () => google.close();
});

/** Returns a new context for each call, like for requests and jobs; its meter counts only this call. */
function acting(): AccountContext {
  const { account: of } = account;
  const context = database.context();
  const GOOGLE_PACE = { idFromName: (name: string) => name, get: (issuerId: string) => limiterOf(issuerId) };
  const env = {
    ...context.env,
    ADMIN_TOKEN: 'local',
    ...jobQueues((bodies) => jobs.push(...bodies)),
    GOOGLE_PACE,
  } as unknown as AccountContext['env'];
  return { ...context, env, account: of };
}

const named = (passId: string) => ({ accountId: account.account.id, passId });
const pushToGoogle = (ctx: AccountContext, id: string, told?: { text?: string }) =>
  push.pushToGoogle(ctx, named(id), told);
const publishToGoogle = (ctx: AccountContext, id: string) => push.publishToGoogle(ctx, named(id));
const endGoogleObject = (ctx: AccountContext, id: string) => push.endGoogleObject(ctx, named(id));

/** Returns the object through which jobs are rate-limited; a test can slow it down. */
function limiterOf(issuerId: string) {
  const take = async (calls: number, patienceMs: number) => {
    taken.push({ issuerId, calls });
    return limiter.take(calls, patienceMs, Date.now());
  };
  return { take };
}

const newTemplate = async (overrides: Partial<TemplateInput> = {}) =>
  (await createTemplate(acting(), TemplateDefinition.parse(sampleTemplate(overrides)))).identifier;
const newPass = async (fields: Record<string, unknown> = { 'Full name': 'Ada' }, template = templateId) =>
  (await createPass(acting(), template, fields, { wait: true })).pass.id;
const patch = (id: string, fields: Record<string, unknown>) => patchPass(acting(), id, fields, { wait: true });
const redeem = (id: string, redeemed: 0 | 1) =>
  database.d1.prepare('update passes set redeemed = ?, version = version + 1 where id = ?').bind(redeemed, id).all();
const standIn = () => google;
const object = (id: string, type?: string) => google.object(id, type);
const callsOf = (id: string) => google.callsOf(id);
const header = (id: string) => google.object(id).header.defaultValue.value;
const methods = (id: string) => google.callsOf(id).map(({ method }) => method);
const inboxOf = (id: string) =>
  database.d1
    .prepare("select subject, text, details from outbox_items where recipient like '%' || ? order by key")
    .bind(id)
    .all<{ subject: string; text: string; details: string }>();

async function rowOf(id: string) {
  const columns = 'google_published_at as publishedAt, google_kind as kind, google_has_messages as hasMessages';
  const [row] = (await database.d1.prepare(`select ${columns} from passes where id = ?`).bind(id).all()).results;
  return row as { publishedAt: number | null; kind: string | null; hasMessages: number };
}

test('a card that no link can be made for has none, is logged, and does not affect others in a list', async () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
  const context = acting();
  const { pass, googleIssuer: issuer } = await createPass(context, templateId, {}, { wait: true });
  const odd = { ...pass, expirationAt: Number.MAX_VALUE };
  expect(await walletLinks(context, odd, 1, issuer)).toMatchObject({ walletSaveUri: null });
  expect(await publishLinks(context, odd, 1, issuer, { wait: true })).toMatchObject({ walletSaveUri: null });
  const lines = errors.mock.calls.map(([line]) => JSON.parse(line));
  expect(lines).toMatchObject([1, 2].map(() => ({ level: 'error', event: 'save-link', pass: pass.id })));
  errors.mockRestore();
});

test('a failure at Google does not fail the request that created a pass: the queue sends it', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const { pass, googleIssuer: issuer } = await createPass(acting(), templateId, { bundleId: 'party' }, { wait: true });
  jobs = [];
  const context = { ...acting(), ...openDatabase(failingOnce(database.d1, 'before')) };
  expect((await publishLinks(context, pass, 1, issuer, { wait: true })).walletSaveUri).toMatch(/^https:/);
  expect(jobs).toEqual([{ type: 'publish-to-google', ...named(pass.id) }]);
  const unreadable = { ...issuer!, id: crypto.randomUUID(), privateKeySealed: 'v1.damaged' };
  expect((await publishLinks(acting(), pass, 1, unreadable, { wait: true })).walletSaveUri).toBeNull();
});

describe('what Google has', () => {
  test('is what the pass shows: inserted first, replaced by each change', async () => {
    const id = await newPass();
    expect(await rowOf(id)).toEqual({ publishedAt: 0, kind: 'generic', hasMessages: 0 });
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Ada');
    expect((await rowOf(id)).publishedAt).toBeGreaterThan(0);
    await patch(id, { 'Full name': 'Grace', expirationDate: '2035-01-01 10:00' });
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Grace');
    await patch(id, { barcodeValue: 'new-code' });
    await pushToGoogle(acting(), id);
    expect(google.object(id).barcode.value).toBe('new-code');
    expect(methods(id)).toEqual(['POST', 'PUT', 'PUT']);
  });

  test('loses what the pass no longer has', async () => {
    const id = await newPass({ expirationDate: '2035-01-01 10:00' });
    const template = await newTemplate({ expiration: { expirationDateDifferentForEachPass: true } });
    const expiring = await newPass({ expirationDate: '2035-01-01 10:00' }, template);
    await pushToGoogle(acting(), id);
    await pushToGoogle(acting(), expiring);
    expect(google.object(expiring).validTimeInterval.end).toBeDefined();
    await patch(expiring, { expirationDate: null });
    await pushToGoogle(acting(), expiring);
    expect(google.object(expiring).validTimeInterval).toBeUndefined();
  });

  test('has the pass’s state', async () => {
    const template = await newTemplate({ expiration: { expirationDateDifferentForEachPass: true } });
    const id = await newPass({}, template);
    const stateAfter = async (change: () => Promise<unknown>) => {
      await change();
      await pushToGoogle(acting(), id);
      return google.object(id).state;
    };
    expect(await stateAfter(async () => {})).toBe('ACTIVE');
    expect(await stateAfter(() => voidPass(acting(), id, true))).toBe('INACTIVE');
    expect(await stateAfter(() => voidPass(acting(), id, false))).toBe('ACTIVE');
    expect(await stateAfter(() => redeem(id, 1))).toBe('COMPLETED');
    expect(await stateAfter(() => redeem(id, 0))).toBe('ACTIVE');
    expect(await stateAfter(() => patch(id, { expirationDate: '2020-01-01 10:00' }))).toBe('EXPIRED');
  });

  test('follows a publication of the template, with a class sent once', async () => {
    const ids = await Promise.all([newPass(), newPass(), newPass()]);
    for (const id of ids) await pushToGoogle(acting(), id);
    const before = google.object(ids[0]!).classId;
    await patchTemplate(acting(), templateId, {
      fields: { auxiliaryFields: [{ key: 'gate', type: 'text', label: 'Gate', value: 'A12' }] },
    } as never);
    await publishTemplate(acting(), templateId);
    for (const id of ids) await pushToGoogle(acting(), id);
    for (const id of ids) expect(JSON.stringify(google.object(id).textModulesData)).toContain('A12');
    expect(google.object(ids[0]!).classId).not.toBe(before);
    const classes = google.calls.filter(({ path }) => path.startsWith('/genericClass'));
    expect(classes.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  test('that Google lost is inserted again', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    google.resources.delete(`genericObject/${google.objectId(id)}`);
    await patch(id, { 'Full name': 'Grace' });
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Grace');
  });

  test('keeps its type when the pass moves to a template of another', async () => {
    const projectId = await createProject(acting(), 'Tiers');
    const [card, coupon] = [await newTemplate({ projectId }), await newTemplate({ projectId, type: 'coupon' })];
    const id = await newPass({ 'Full name': 'Ada' }, card);
    await pushToGoogle(acting(), id);
    const before = google.object(id).classId;
    await movePass(acting(), id, coupon);
    await pushToGoogle(acting(), id);
    expect(google.object(id, 'offerObject')).toBeUndefined();
    expect(google.object(id).classId).not.toBe(before);
    expect((await rowOf(id)).kind).toBe('generic');
  });

  test('expires if a flight moves to a template of another type, and the pass has no link anymore', async () => {
    const projectId = await createProject(acting(), 'Trips');
    const air = await newTemplate({ projectId, type: 'boardingPass', transitType: 'PKTransitTypeAir' });
    const id = await newPass(FLIGHT, air);
    await pushToGoogle(acting(), id);
    expect(google.object(id, 'flightObject').state).toBe('ACTIVE');
    await movePass(acting(), id, await newTemplate({ projectId }));
    await pushToGoogle(acting(), id);
    expect(google.object(id, 'flightObject').state).toBe('EXPIRED');
    const { pass, version } = await getDefinedPass(acting(), id);
    const issuer = (await findGooglePass(acting(), named(id)))!.issuer;
    expect((await walletLinks(acting(), pass, version, issuer)).walletSaveUri).toBeNull();
  });

  test('is one class for all passes of a flight, sent when it differs', async () => {
    const template = await newTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir' });
    const flight = (more: object) => ({ ...FLIGHT, ...more });
    const [one, two] = [
      await newPass(flight({ passengerName: 'Ada' }), template),
      await newPass(flight({ passengerName: 'Grace' }), template),
    ];
    for (const id of [one, two, one]) await pushToGoogle(acting(), id);
    const classCalls = () =>
      google.calls.filter(({ path }) => path.startsWith('/flightClass')).map(({ method }) => method);
    expect(classCalls()).toEqual(['PUT', 'POST']);
    const { classId } = google.object(one, 'flightObject');
    expect(google.object(two, 'flightObject').classId).toBe(classId);
    await patch(one, { originAirportGate: 'B7' });
    await pushToGoogle(acting(), one);
    expect(google.resources.get(`flightClass/${classId}`)).toMatchObject({
      origin: { gate: 'B7' },
      reviewStatus: 'UNDER_REVIEW',
    });
    // The other passenger's data still has the old gate; then it is updated, too.
    await pushToGoogle(acting(), two);
    await patch(two, { originAirportGate: 'B7' });
    await pushToGoogle(acting(), two);
    expect(google.resources.get(`flightClass/${classId}`).origin.gate).toBe('B7');
    const calls = classCalls().length;
    for (const id of [one, two]) await pushToGoogle(acting(), id);
    expect(classCalls()).toHaveLength(calls);
  });
});

const FLIGHT = {
  carrierCode: 'OS',
  flightNumber: 101,
  originAirportCode: 'VIE',
  originAirportGate: 'A1',
  destinationAirportCode: 'BER',
  localScheduledDepartureTime: '2035-06-01T10:00',
  localScheduledDepartureDateTime: '2035-06-01T10:00',
  localBoardingDateTime: '2035-06-01T09:30',
  passengerName: 'Ada',
  confirmationCode: 'ABC123',
  boardingGroup: '1',
  boardingPosition: '2',
  seatNumber: '3A',
  seatClass: 'Economy',
  sequenceNumber: '7',
};

describe('a text', () => {
  test('reaches the holder once, and stays if the object is replaced', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    await pushToGoogle(acting(), id, { text: 'Gate change' });
    await patch(id, { 'Full name': 'Grace' });
    await pushToGoogle(acting(), id);
    const [message, ...more] = google.object(id).messages;
    expect(message).toMatchObject({
      header: 'Example Organization',
      body: 'Gate change',
      messageType: 'TEXT_AND_NOTIFY',
    });
    expect(more).toEqual([]);
    expect(header(id)).toBe('Grace');
  });

  test('that was stored without a link’s token is sent with it', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    await database.d1.prepare('update passes set number_of_active = 1 where id = ?').bind(id).run();
    await sendPush(acting(), id, { pushNotificationText: 'Look at {downloadPage}' });
    const pending = await database.d1
      .prepare('select text from requested_pushes where pass_id = ? and wallet = ?')
      .bind(id, 'google')
      .first<{ text: string }>();
    const [pass] = await database.look.select().from(passes).where(eq(passes.id, id));
    const { page } = openTokens(acting().env, pass!);
    expect(pending!.text + pass!.pushText).not.toContain(page);
    await pushToGoogle(acting(), id, pending!);
    expect(google.object(id).messages.map(({ body }: { body: string }) => body)).toEqual([
      `Look at ${acting().baseUrl}/p/${page}`,
    ]);
  });

  test('beyond the quota of notifications is added silently', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    for (const text of ['one', 'two', 'three', 'four']) await pushToGoogle(acting(), id, { text });
    const told = google.object(id).messages.map(({ body, messageType }: Record<string, string>) => [body, messageType]);
    expect(told).toEqual([
      ['one', 'TEXT_AND_NOTIFY'],
      ['two', 'TEXT_AND_NOTIFY'],
      ['three', 'TEXT_AND_NOTIFY'],
      ['four', 'TEXT'],
    ]);
  });

  test('is not sent again by a second delivery, but is if it is sent again after another text', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    for (const text of ['one', 'one', 'two', 'one']) await pushToGoogle(acting(), id, { text });
    expect(google.object(id).messages.map(({ body }: { body: string }) => body)).toEqual(['one', 'two', 'one']);
  });

  test('that was sent before the Worker crashed is not sent again', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    const dying = acting();
    google.beforeAnswer = async ({ path }) => {
      if (!path.endsWith('/addMessage')) return;
      // Nothing more is written while the text is being sent.
      dying.db.batch = () => Promise.reject(new Error('the worker died'));
    };
    await expect(pushToGoogle(dying, id, { text: 'once' })).rejects.toThrow('the worker died');
    expect(google.object(id).messages).toHaveLength(1);
    await pushToGoogle(acting(), id, { text: 'once' });
    expect(google.object(id).messages).toHaveLength(1);
  });

  test('for a pass that nobody can have is not sent', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id, { text: 'to nobody' });
    expect(google.object(id).messages).toBeUndefined();
  });
});

describe('Google-only members of a template', () => {
  const google: NonNullable<TemplateInput['google']> = {
    notifyPreference: 'NOTIFY_ON_UPDATE',
    textModulesData: [{ id: 'for', header: 'For', body: '{Full name}' }],
    linksModuleData: { uris: [{ uri: 'https://example.com/?for={Full name}' }] },
    smartTapRedemptionValue: '{Level}',
  };

  test('are filled for each pass, and change with it', async () => {
    const id = await newPass({ 'Full name': 'Ada & Bo' }, await newTemplate({ google }));
    await pushToGoogle(acting(), id);
    const { textModulesData, linksModuleData, smartTapRedemptionValue } = object(id);
    expect(textModulesData).toContainEqual({ id: 'for', header: 'For', body: 'Ada & Bo' });
    expect(linksModuleData.uris).toMatchObject([{ uri: 'https://example.com/?for=Ada%20%26%20Bo' }]);
    expect(smartTapRedemptionValue).toBe('Basic');
    await patch(id, { Level: '' });
    await pushToGoogle(acting(), id);
    expect(object(id)).not.toHaveProperty('smartTapRedemptionValue');
  });

  /** Returns, for each request with the object, the notification it requests and Google's answer. */
  const notifications = (id: string) =>
    callsOf(id).map(({ method, body, status }) => [method, body.notifyPreference ?? null, status]);

  test('notify holders of three updates a day, and not of further ones', async () => {
    const template = await newTemplate({ type: 'storeCard', google });
    const id = await newPass({}, template);
    for (const name of ['Ada', 'Bo', 'Cy', 'Di', 'Ed']) {
      await patch(id, { 'Full name': name });
      await pushToGoogle(acting(), id);
    }
    expect(notifications(id)).toEqual([
      ['POST', null, 200],
      ...Array.from({ length: 3 }, () => ['PUT', 'NOTIFY_ON_UPDATE', 200]),
      ['PUT', 'NOTIFY_ON_UPDATE', 403],
      ['PUT', null, 200],
    ]);
    expect(object(id, 'loyaltyObject').loyaltyPoints.balance.string).toBe('Ed');
  });

  test('do not notify twice if the update includes a text, or for kinds without the preference', async () => {
    const id = await newPass({}, await newTemplate({ type: 'storeCard', google }));
    await pushToGoogle(acting(), id);
    await pushToGoogle(acting(), id, { text: 'Hello' });
    const [, , added] = callsOf(id);
    expect(notifications(id).slice(0, 2)).toEqual([
      ['POST', null, 200],
      ['PUT', null, 200],
    ]);
    expect(added!.body.message.messageType).toBe('TEXT_AND_NOTIFY');
    const generic = await newPass({}, await newTemplate({ google }));
    await pushToGoogle(acting(), generic);
    await patch(generic, { 'Full name': 'Bo' });
    await pushToGoogle(acting(), generic);
    expect(notifications(generic)).toEqual([
      ['POST', null, 200],
      ['PUT', null, 200],
    ]);
  });

  test('notify a flight’s holders once when its class changes', async () => {
    const template = await newTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir', google });
    const fly = (originAirportGate: string) => ({ ...SAMPLE_FLIGHT, originAirportGate });
    const ids = [await newPass(fly('A1'), template), await newPass(fly('A1'), template)];
    for (const id of ids) await pushToGoogle(acting(), id);
    for (const id of ids) {
      await patch(id, fly('B2'));
      await pushToGoogle(acting(), id);
    }
    const classes = standIn().calls.filter(({ path }) => path.startsWith('/flightClass'));
    expect(classes.filter(({ method, status }) => method === 'PUT' && status === 200)).toMatchObject([
      { body: { notifyPreference: 'NOTIFY_ON_UPDATE', origin: { gate: 'B2' } } },
    ]);
  });
});

describe('a prepaid pass', () => {
  const prepaid: Partial<TemplateInput> = {
    type: 'storeCard',
    passFunctionality: { type: 'prepaid' },
    fields: {
      primaryFields: [{ key: 'left', type: 'currency', currencyCode: 'EUR', label: 'Left', value: '{storedValue}' }],
    },
  };

  test('is a gift card with its balance from its creation', async () => {
    const id = await newPass({ storedValue: 25 }, await newTemplate(prepaid));
    expect((await rowOf(id)).kind).toBe('giftCard');
    await pushToGoogle(acting(), id);
    expect(object(id, 'giftCardObject').balance).toEqual({ micros: '25000000', currencyCode: 'EUR' });
    await deletePass(acting(), id, async () => {});
    await endGoogleObject(acting(), id);
    expect(object(id, 'giftCardObject')).toMatchObject({ state: 'EXPIRED', cardNumber: '–' });
  });

  test.each([null, 'loyalty'])('of an earlier release, of kind %s, stays a loyalty card', async (kind) => {
    const id = await newPass({ storedValue: 25 }, await newTemplate(prepaid));
    await database.d1.prepare('update passes set google_kind = ? where id = ?').bind(kind, id).all();
    await pushToGoogle(acting(), id);
    expect(object(id, 'loyaltyObject').loyaltyPoints.balance.money.micros).toBe('25000000');
    expect((await rowOf(id)).kind).toBe('loyalty');
  });

  test.each(['eventTicket', 'boardingPass'] as const)('of type %s stays what it is', async (type) => {
    const transitType = type === 'boardingPass' ? ({ transitType: 'PKTransitTypeBus' } as const) : {};
    const id = await newPass({}, await newTemplate({ ...prepaid, type, ...transitType }));
    expect((await rowOf(id)).kind).toBe(type === 'eventTicket' ? 'eventTicket' : 'transit');
  });
});

describe('a push that Google rejects', () => {
  test.each([
    [{ status: 503 }, 0],
    [{ status: 503, headers: { 'Retry-After': '40' } }, 40],
    [{ status: 429, headers: { 'Retry-After': '7' } }, 7],
    [{ status: 408 }, 0],
  ])('with %j is retried', async (failure, afterSeconds) => {
    const id = await newPass();
    google.failures.push(failure);
    const error = await pushToGoogle(acting(), id).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RetryLater);
    expect((error as RetryLater).afterSeconds).toBe(afterSeconds);
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Ada');
  });

  test.each([
    [40, 2, 40],
    [0, 2, 10],
    [86_400, 1, 3_600],
  ])('waits in the queue for Google’s %d s, after attempt %d: %d s', async (asked, attempts, delaySeconds) => {
    for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {});
    const id = await newPass();
    google.failures.push({ status: 503, headers: { 'Retry-After': String(asked) } });
    const [ack, retry] = [vi.fn(), vi.fn()];
    const message = { id: 'message', timestamp: new Date(), attempts, ack, retry };
    const body: Job = { type: 'publish-to-google', ...named(id) };
    const batch = { queue: 'pass-wallet-pushes', messages: [{ ...message, body }] };
    const env = { ...acting().env, FILES: memoryBucket() };
    await consumeBatch(batch as never, env, { waitUntil: () => {} } as never);
    expect(retry.mock.calls).toEqual([[{ delaySeconds }]]);
    expect(ack).not.toHaveBeenCalled();
  });

  test('with 429 and no time is retried after a while, with jitter', async () => {
    const delays = new Set<number>();
    for (let i = 0; i < 12; i++) {
      google.failures.push({ status: 429 });
      const error = await pushToGoogle(acting(), await newPass()).catch((thrown: unknown) => thrown);
      delays.add((error as RetryLater).afterSeconds);
    }
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(15);
    expect(Math.max(...delays)).toBeLessThanOrEqual(30);
    expect(delays.size).toBeGreaterThan(1);
  });

  test('because of its content ends, and the pass does not change there', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    await patch(id, { 'Full name': 'Grace' });
    google.failures.push({ status: 400 });
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Ada');
  });

  test('because of a revoked token is sent with another', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    google.withdrawTokens();
    await patch(id, { 'Full name': 'Grace' });
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Grace');
    expect(google.tokensGiven).toBe(2);
  });
});

describe('the rate limit of an issuer', () => {
  test('is requested for as many calls as a push makes', async () => {
    const id = await newPass();
    const calls: number[] = [];
    for (const text of [undefined, undefined, 'Hello', undefined]) {
      const before = google.callsOf(id).length;
      await pushToGoogle(acting(), id, { text });
      calls.push(google.callsOf(id).length - before);
    }
    // Named by our row, because issuer numbers come from whoever imported them.
    const row = chooseGoogleIssuer(await googleIssuerQuery(acting().db, account.account.id));
    expect(taken).toEqual(calls.map((count) => ({ issuerId: row!.id, calls: count })));
    expect(calls).toEqual([1, 1, 2, 2]);
  });

  test('returns a push to the queue if the wait is long', async () => {
    limiter = new RateLimiter(0.1);
    const [first, second] = [await newPass(), await newPass()];
    await pushToGoogle(acting(), first);
    const error = await pushToGoogle(acting(), second).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RetryLater);
    expect((error as RetryLater).afterSeconds).toBeGreaterThan(2);
    expect((error as RetryLater).afterSeconds).toBeLessThanOrEqual(10);
    expect(google.object(second)).toBeUndefined();
  });
});

test('a token is used for all calls until it expires', async () => {
  for (const id of [await newPass(), await newPass()]) await pushToGoogle(acting(), id);
  expect(google.calls.length).toBeGreaterThanOrEqual(3);
  expect(google.tokensGiven).toBe(1);
});

describe('the last push has the latest state', () => {
  test('if the pass changes while it is sent', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    let changes = 3;
    google.beforeAnswer = async ({ method }) => {
      if (method === 'PUT' && changes-- > 0) await patch(id, { 'Full name': `Ada ${changes}` });
    };
    await patch(id, { 'Full name': 'Grace' });
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Ada 0');
  });

  test('if two are sent at once and the older state arrives last', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    await patch(id, { 'Full name': 'old' });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    google.beforeAnswer = async ({ method, body }) => {
      if (method === 'PUT' && body.header.defaultValue.value === 'old') await held;
    };
    const slow = pushToGoogle(acting(), id);
    await expect.poll(() => google.server.requests.filter(({ body }) => body.includes('"old"')).length).toBe(1);
    await patch(id, { 'Full name': 'new' });
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('new');
    release();
    await slow;
    expect(header(id)).toBe('new');
  });

  test('if ten changes and 50 pushes are simultaneous', async () => {
    const id = await newPass();
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        if (i % 5 === 0) await patch(id, { 'Full name': `Ada ${i}` });
        await pushToGoogle(acting(), id).catch((error: unknown) => {
          if (!(error instanceof RetryLater)) throw error;
          return pushToGoogle(acting(), id);
        });
      }),
    );
    const [row] = (await database.d1.prepare('select properties from passes where id = ?').bind(id).all()).results;
    const [name] = Object.values(JSON.parse((row as { properties: string }).properties)).filter((value) =>
      /^Ada/.test(String(value)),
    );
    expect(header(id)).toBe(name);
  });

  test('if a restore reverts the pass and it changes to the same version while it is sent', async () => {
    const id = await newPass();
    const rowOfPass = () => database.d1.prepare('select * from passes where id = ?').bind(id).first();
    const kept = (await rowOfPass()) as Record<string, unknown>;
    const restore = async () => {
      const columns = Object.keys(kept);
      const sql = `insert or replace into passes (${columns}) values (${columns.map(() => '?')})`;
      await database.d1
        .prepare(sql)
        .bind(...Object.values(kept))
        .run();
    };
    await patch(id, { 'Full name': 'Grace' });
    google.beforeAnswer = async ({ method }) => {
      if (method !== 'POST') return;
      google.beforeAnswer = undefined;
      await restore();
      await patch(id, { 'Full name': 'Zoe' });
    };
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Zoe');
    // Right after a restore, a push sends Google the restored data.
    await restore();
    await pushToGoogle(acting(), id);
    expect(header(id)).toBe('Ada');
  });

  test('if the pass is deleted while it is sent', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    google.beforeAnswer = async ({ method }) => {
      if (method !== 'PUT') return;
      google.beforeAnswer = undefined;
      await deletePass(acting(), id, async () => {});
    };
    await pushToGoogle(acting(), id);
    expect(google.object(id).state).toBe('EXPIRED');
  });

  test.each([true, false])(
    'if it is deleted meanwhile, and Google is unavailable (known before: %s)',
    async (known) => {
      vi.spyOn(console, 'error').mockImplementation(() => {});
      const id = await newPass();
      if (known) await pushToGoogle(acting(), id);
      else await database.d1.prepare('update passes set google_published_at = null where id = ?').bind(id).all();
      google.beforeAnswer = async ({ method, path }) => {
        if (method !== (known ? 'PUT' : 'POST') || !path.includes('Object')) return;
        google.beforeAnswer = undefined;
        await deletePass(acting(), id, async () => {});
        await endGoogleObject(acting(), id);
        google.beforeAnswer = async () => void google.failures.push({ status: 503 });
      };
      await (known ? pushToGoogle : publishToGoogle)(acting(), id).catch(() => {});
      google.beforeAnswer = undefined;
      google.failures.length = 0;
      expect(JSON.stringify(google.object(id))).toContain('Ada');
      jobs = [];
      await resumeGoogleEnds(acting(), Date.now() + 60 * 60_000);
      expect(jobs).toContainEqual({ type: 'end-google-object', ...named(id) });
      await endGoogleObject(acting(), id);
      expect(google.object(id).state).toBe('EXPIRED');
      expect(JSON.stringify(google.object(id))).not.toContain('Ada');
    },
  );
});

describe('a deleted pass', () => {
  test('is expired at Google by the job, and not again by a second delivery', async () => {
    const id = await newPass();
    await pushToGoogle(acting(), id);
    await deletePass(acting(), id, async () => {});
    expect(jobs).toContainEqual({ type: 'end-google-object', ...named(id) });
    google.failures.push({ status: 503 });
    await expect(endGoogleObject(acting(), id)).rejects.toThrow(RetryLater);
    await endGoogleObject(acting(), id);
    expect(google.object(id)).toMatchObject({ state: 'EXPIRED', header: expect.anything() });
    expect(JSON.stringify(google.object(id))).not.toMatch(/Ada|Lovelace|Level/);
    const calls = google.calls.length;
    await endGoogleObject(acting(), id);
    await pushToGoogle(acting(), id);
    expect(google.calls).toHaveLength(calls);
  });

  test('is found by the cron if its job was lost, by one of two at once', async () => {
    const id = await newPass();
    await deletePass(acting(), id, async () => {});
    jobs = [];
    await resumeGoogleEnds(acting());
    expect(jobs).toEqual([]);
    const later = Date.now() + 11 * 60_000;
    await Promise.all([resumeGoogleEnds(acting(), later), resumeGoogleEnds(acting(), later)]);
    expect(jobs.filter((job) => 'passId' in job && job.passId === id)).toEqual([
      { type: 'end-google-object', ...named(id) },
    ]);
  });

  test('that Google never had leaves nothing behind', async () => {
    const offline = await newTemplate({ walletApps: { google: false } });
    const id = await newPass({}, offline);
    await deletePass(acting(), id, async () => {});
    expect(jobs.map(({ type }) => type)).toEqual(['delete-pass-files']);
    const { results } = await database.d1.prepare('select * from pass_tombstones where pass_id = ?').bind(id).all();
    expect(results).toEqual([]);
  });
});

describe('nothing is sent', () => {
  test('for a template without Google, or a pass that Google does not support', async () => {
    const id = await newPass({}, await newTemplate({ walletApps: { google: false } }));
    expect((await rowOf(id)).publishedAt).toBeNull();
    await pushToGoogle(acting(), id);
    await publishToGoogle(acting(), id);
    expect(google.calls).toEqual([]);
  });

  test('for an account without an issuer, or an unknown pass', async () => {
    account = await database.accountContext();
    const id = await newPass({}, await newTemplate());
    await pushToGoogle(acting(), id, { text: 'x' });
    await pushToGoogle(acting(), '01980000-0000-7000-8000-000000000000');
    expect(google.calls).toEqual([]);
  });

  test('by the job of a pass that Google already has', async () => {
    const id = await newPass();
    await publishToGoogle(acting(), id);
    const calls = google.calls.length;
    await publishToGoogle(acting(), id);
    expect(google.calls).toHaveLength(calls);
  });

  test('for a development issuer: it goes to the dev inbox', async () => {
    const { standInUrl: _, ...issuer } = google.newIssuer();
    await importGoogleIssuer(acting(), account.account.id, { ...issuer, development: true });
    const id = await newPass();
    await pushToGoogle(acting(), id, { text: 'Hello' });
    const items = (await inboxOf(id)).results;
    expect(items.map(({ subject, text }) => [subject, text])).toEqual([
      ['object', ''],
      ['message', 'Hello'],
    ]);
    expect(JSON.parse(items[0]!.details)).toMatchObject({ type: 'genericObject', body: { state: 'ACTIVE' } });
    expect(google.calls).toEqual([]);
  });

  test('to a stand-in from a deployment', async () => {
    const deployed = acting();
    const { ADMIN_TOKEN: _, ...env } = deployed.env;
    await pushToGoogle({ ...deployed, env: env as AccountContext['env'] }, await newPass()).catch(() => {});
    expect(google.server.requests).toEqual([]);
  });
});

test('a push takes two round trips and one request, and reads no more than the pass', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => newPass()));
  for (const id of ids) await pushToGoogle(acting(), id);
  const ctx = acting();
  const calls = google.calls.length;
  await patch(ids[0]!, { 'Full name': 'Grace' });
  await pushToGoogle(ctx, ids[0]!);
  expect(google.calls).toHaveLength(calls + 1);
  expect(ctx.meter.roundTrips).toBe(2);
  expect(ctx.meter.rowsRead).toBeLessThanOrEqual(16);
  expect(ctx.meter.rowsWritten).toBe(0);
});
