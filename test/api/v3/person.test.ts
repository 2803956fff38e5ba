import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { readZip } from '../../../scripts/read-zip.ts';
import { consolePath, visitor } from '../../pages/console/browser-session.ts';
import { admin, type Client, clientOf, freshAccount, send } from '../../support/api.ts';
import { createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';
import { actionsOf } from '../../support/audit.ts';
import { allLogged, d1, eventually, storedKeys } from '../../support/control.ts';
import { fetchWorker } from '../../support/fetch-worker.ts';
import { GoogleStandIn } from '../../support/google-stand-in.ts';
import { openOutsideServer } from '../../support/outside-server.ts';
import { createdCrowd, ended, type ProcessBody } from '../../support/processes.ts';
import { processHolds, remainsOf } from '../../support/remains.ts';
import { SAMPLE_FLIGHT } from '../../support/samples.ts';
import { deliveriesWhen, subscribed } from '../../support/webhooks.ts';

/* The export and erasure of a person's data. */

const TEMPLATE = {
  sendoutOptions: { passCreationNotification: { subject: 'For {Full name}', emailTemplate: 'Hello {Full name}' } },
  images: { perPassImages: { thumbnail: true, background: true } },
  additionalProperties: [
    { name: 'Full name', type: 'text' as const },
    { name: 'Note', type: 'text' as const },
    { name: 'Level', type: 'text' as const },
  ],
};

const ANSWER = { name: 'Note', type: 'unicode' };

/** Before any marker was created. */
const START = new Date();

/** Returns a word that occurs nowhere else in the service. */
const word = () => `z${crypto.randomUUID().replaceAll('-', '')}`;
const PICTURE = readFileSync('scripts/demo/images/lindhof-icon.png');
/** Returns a picture that nobody else has. */
const picture = () => Buffer.concat([PICTURE, Buffer.from(word())]);

type Result = ProcessBody & { result: Record<string, number | string> };
const ask = async (client: Client, what: 'export' | 'erase', body: object): Promise<Result> =>
  (await ended(client, await client.post(`/api/v3/person/${what}`, body))) as Result;

const create = async (client: Client, data: object, headers = {}) => {
  const { status, body } = await client.post('/api/v3/pass?async=false', { data }, headers);
  expect(status).toBe(200);
  return body.data;
};

/** Creates a person with a marker in everything that a caller can write. */
async function markedPerson() {
  const client = await freshAccount();
  const google = await GoogleStandIn.open();
  await google.admit(client);
  const templateId = await client.createTemplate(TEMPLATE);
  const names = [
    ...['userProvidedId', 'fullName', 'note', 'mailbox', 'barcode', 'alternative', 'group', 'place', 'scanNote'],
    ...['answer', 'failed', 'push', 'pull', 'imported', 'passenger', 'confirmation', 'seat', 'sequence', 'boarding'],
  ] as const;
  const markers = Object.fromEntries(names.map((name) => [name, word()])) as Record<(typeof names)[number], string>;
  const email = `${markers.mailbox}@example.com`;
  const phone = `+49170${String(Math.floor(Math.random() * 1e9)).padStart(9, '0')}`;
  const photo = picture();
  const outside = await openOutsideServer(({ path, body }) => {
    if (path.endsWith('.png')) return { body: photo };
    const isAboutThem = body.toString().includes(markers.userProvidedId);
    return { status: 500, body: isAboutThem ? `I know ${markers.answer} already` : 'Not now' };
  });
  const hook = await subscribed(client, `${outside.origin}/hook`, { event: 'pass_created', retryEnabled: false });
  await client.post('/api/hook/subscribe', { event: 'pass_updated', pullMode: true });
  await client.post('/api/hook/subscribe', { event: 'pass_deleted', pullMode: true });
  const data = {
    templateId,
    userProvidedId: markers.userProvidedId,
    'Full name': markers.fullName,
    Note: markers.note,
    Level: 'Gold',
    emailRecipient: email,
    phoneRecipient: phone,
    barcodeValue: markers.barcode,
    barcodeAlternativeText: markers.alternative,
    groupingIdentifier: markers.group,
    urlToThumbnail: `${outside.origin}/photo.png`,
    locations: [{ latitude: 1, longitude: 2, relevantText: markers.place }],
  };
  const pass = await create(client, data, { 'Idempotency-Key': crypto.randomUUID() });
  await create(client, { templateId, 'Full name': word(), Level: 'Gold' });
  const { identifier: id } = pass;
  const flightId = await markedFlight(client, markers, { emailRecipient: email });
  for (const passId of [id, flightId]) await saveToGoogle(client, google, passId);
  await client.patch(
    `/api/v3/pass/${id}`,
    { data: { Note: `${markers.note} again`, pushNotificationText: markers.push } },
    { 'Idempotency-Key': crypto.randomUUID() },
  );
  await client.post(`/api/pass/${id}/sendpushnotification`, {
    pushNotificationText: `For {Full name}, ${markers.push}`,
  });
  await eventually(() => google.object(id)?.messages?.length > 0);
  expect(google.holding([markers.push, markers.fullName, markers.passenger, markers.seat])).toHaveLength(4);
  await send('GET', pass.passFileUri);
  const scanner = await createConfiguration(client, {
    passTemplateIds: [templateId],
    additionalProperties: [ANSWER],
  });
  await scan(client, scanner, markers.barcode, {
    additionalProperties: { [scanner.additionalProperties[0]!.id]: markers.scanNote },
  });
  const elsewhere = { passTemplateIds: [await client.createTemplate()], additionalProperties: [ANSWER] };
  const wrong = await createConfiguration(client, elsewhere);
  await client.post('/api/hook/subscribe', { event: 'app_scan_created', pullMode: true });
  const unanswered = { additionalProperties: { [wrong.additionalProperties[0]!.id]: markers.scanNote } };
  for (const code of [markers.barcode, `${markers.barcode}.123456`]) await scan(client, wrong, code, unanswered);
  const condition = (field: string, value: unknown) => ({ field, operator: 'equals', value });
  const segment = { templateId, groups: [[condition('emailRecipient', [email, 'someone@example.org'])]] };
  const named = { templateId, searchPhrase: markers.fullName, groups: [[condition('Level', 'Gold')]] };
  await client.post('/api/v3/segment', { title: `About ${markers.fullName}`, query: segment });
  await client.post('/api/v3/segment', { title: 'Named', query: named });
  // Items that fail, one with the pass's name and one with values only.
  const item = { identifier: markers.userProvidedId, data: { 'Full name': markers.fullName, expirationDate: 'never' } };
  const updating = await client.patch('/api/v3/pass/bulk', { passes: [item] });
  const lost = { emailRecipient: email, Note: markers.failed, expirationDate: 'never' };
  const creating = await client.post('/api/v3/pass/bulk/create', { templateId, passes: [lost] });
  const shared = await client.patch('/api/v3/pass/bulk', {
    data: { Note: markers.note },
    filter: { query: { templateId, groups: [[condition('userProvidedId', markers.userProvidedId)]] } },
  });
  const processIds = [updating, creating, shared].map(({ body }) => String(body.data.processId));
  for (const started of [updating, creating, shared]) await ended(client, started);
  await uploadImport(client, templateId, `Full name,Note\n${markers.fullName},${markers.imported}\n`);
  await deliveriesWhen(client, hook.identifier, ([delivery]) => delivery?.state === 'failed');
  await ask(client, 'export', { match: { userProvidedId: markers.userProvidedId } });
  const { push: _, pull: __, ...told } = markers;
  const words = [...Object.values(told), markers.push, email, phone];
  return { client, templateId, id, markers, email, phone, photo, outside, google, flightId, words, processIds };
}

/** Creates a boarding pass for the person. */
async function markedFlight(client: Client, markers: Record<string, string>, data: object): Promise<string> {
  const flights = await client.createTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir' });
  const { identifier } = await client.createPass(flights, {
    ...SAMPLE_FLIGHT,
    ...data,
    'Full name': markers.fullName,
    passengerName: markers.passenger,
    confirmationCode: markers.confirmation,
    seatNumber: markers.seat,
    sequenceNumber: markers.sequence,
    boardingGroup: markers.boarding,
  });
  return identifier;
}

/** Simulates that holders save a pass to Google Wallet. */
async function saveToGoogle(client: Client, google: GoogleStandIn, passId: string): Promise<void> {
  google.saveByLink((await client.get(`/api/pass/geturis/${passId}`)).body.walletSaveUri);
  expect((await google.tell(passId, 'save')).status).toBe(200);
}

async function uploadImport(client: Client, templateId: string, content: string): Promise<void> {
  const editor = await visitor(client, ['passes.edit', 'personal_data']);
  const form = new FormData();
  form.set('template', templateId);
  form.set('file', new File([content], 'people.csv', { type: 'text/csv' }));
  const sent = new Response(form);
  const response = await fetchWorker(new URL(`${consolePath(client, 'passes')}/import`, inject('worker').origin), {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': sent.headers.get('Content-Type')!, ...editor.cookie },
    body: new Uint8Array(await sent.arrayBuffer()),
    redirect: 'manual',
  });
  expect(response.status).toBe(303);
}

/** Returns the words that these processes' objects still contain. */
const heldBy = async (processIds: string[], words: string[]) => {
  const held = await Promise.all(processIds.map((id) => processHolds(id, words)));
  return processIds.filter((_, i) => held[i]);
};

describe('erasing a person', () => {
  test.each(['delete', 'anonymize'] as const)('in mode %s leaves no value anywhere', async (mode) => {
    const { client, id, markers, email, words, processIds, outside, photo, google, flightId } = await markedPerson();
    expect((await remainsOf(words, START)).length).toBeGreaterThan(5);
    const match = { emailRecipient: email.toUpperCase() };
    const counted = await ask(client, 'erase', { match, mode, dryRun: true });
    expect(counted).toMatchObject({ status: 'finished', result: { passes: 2, scans: 1, images: 1, imports: 1 } });
    expect((await remainsOf(words, START)).length).toBeGreaterThan(5);
    expect(await actionsOf(client.accountId)).not.toContain('person.erase');
    expect((await client.get(`/api/v3/pass/${id}`)).body.data.userProvidedId).toBe(markers.userProvidedId);

    const started = await client.post('/api/v3/person/erase', { match, mode });
    const erased = (await ended(client, started)) as Result;
    expect(erased).toMatchObject({ status: 'finished', current: 2, total: 2, errors: null });
    expect(erased.result).toMatchObject({ passes: 2, scans: 1, images: 1, segments: 2, imports: 1, exports: 1 });
    expect(erased.result.processItems).toBe(2);
    expect((await actionsOf(client.accountId)).filter((action) => action === 'person.erase')).toHaveLength(1);
    expect(await remainsOf(words, START)).toEqual([]);
    expect(await heldBy([...processIds, started.body.data.processId], words)).toEqual([]);
    expect(await storedKeys(`person-exports/${client.accountId}/`)).toEqual([]);
    expect(await storedKeys(`imports/${client.accountId}/`)).toEqual([]);
    const { status } = await client.get(`/api/v3/pass/${id}`);
    expect(status).toBe(mode === 'delete' ? 404 : 200);
    const [last] = (await eventsOf(id)).slice(-1);
    expect(last).toMatchObject({
      type: mode === 'delete' ? 'pass_deleted' : 'pass_updated',
      body: { identifier: id, userProvidedId: null },
    });
    const segments = (await client.get('/api/v3/segment')).body.data;
    expect(segments[0].query.groups[0][0].value).toEqual(['erased', 'someone@example.org']);
    expect(segments[1].query.groups[0][0].value).toBe('Gold');
    expect(await storedKeys('images/')).not.toContainEqual(expect.stringContaining(await sha256(photo)));
    // A scan has voided the one that remains. A flight can't stay at Google without its flight fields.
    const atGoogle = mode === 'delete' ? ['EXPIRED', 'EXPIRED'] : ['INACTIVE', 'EXPIRED'];
    await eventually(() => google.holding(words).length === 0);
    expect([google.object(id).state, google.object(flightId, 'flightObject').state]).toEqual(atGoogle);
    // A second run finds nothing.
    const again = await ask(client, 'erase', { match, mode });
    expect(again).toMatchObject({ status: 'finished', total: 0, result: { passes: 0, scans: 0 } });
    await outside.close();
    await google.close();
  });
});

async function sha256(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex');
}

describe('a person', () => {
  let client: Client;
  let templateId: string;
  beforeAll(async () => {
    client = await freshAccount();
    templateId = await client.createTemplate(TEMPLATE);
  });

  test.each<[string, object, string]>([
    ['without a match', {}, 'match: '],
    ['by nothing', { match: {} }, 'match: must have exactly one of'],
    ['by two things', { match: { userProvidedId: 'a', emailRecipient: 'a@example.com' } }, 'match: must have exactly'],
    ['by an empty text', { match: { userProvidedId: ' ' } }, 'match.userProvidedId: must not be empty'],
    ['by a property without a value', { match: { property: { id: 'a' } } }, 'match.property.value: '],
    ['by an unknown property', { match: { property: { id: 'nothing', value: 'x' } } }, 'match.property.id: is not'],
    ['in an unknown mode', { match: { userProvidedId: 'a' }, mode: 'hide' }, 'mode: must be delete or anonymize'],
    ['with an unclear dryRun', { match: { userProvidedId: 'a' }, dryRun: 'yes' }, 'dryRun: must be true or false'],
  ])('is not erased %s', async (_, body, message) => {
    const { status, body: reply } = await client.post('/api/v3/person/erase', body);
    expect(status).toBe(400);
    expect(reply.errors[0]).toContain(message);
  });

  test('is erased from members of stored queries that mean nothing to the service', async () => {
    const emailRecipient = `${word()}@example.com`;
    const condition = { field: 'userProvidedId', operator: 'equals', value: 'order-1', label: emailRecipient };
    const query = { groups: [[condition]], comments: [`Passes of ${emailRecipient}`] };
    const segment = await client.post('/api/v3/segment', { title: 'With comments', query });
    await create(client, { templateId, emailRecipient });
    const erased = await ask(client, 'erase', { match: { emailRecipient } });
    expect(erased.result).toMatchObject({ passes: 1, segments: 1 });
    const { data } = (await client.get('/api/v3/segment')).body;
    expect(data.find(({ identifier }: { identifier: string }) => identifier === segment.body.data.identifier)).toEqual({
      identifier: segment.body.data.identifier,
      title: 'With comments',
      query: { groups: [[{ ...condition, label: 'erased' }]], comments: ['erased'] },
    });
  });

  test('is found only in their own account, and only by the exact value', async () => {
    const name = word();
    const stranger = await freshAccount();
    const foreign = await create(stranger, { templateId: await stranger.createTemplate(), userProvidedId: name });
    const own = await create(client, { templateId, userProvidedId: name });
    const other = await create(client, { templateId, userProvidedId: name.toUpperCase() });
    const erased = await ask(client, 'erase', { match: { userProvidedId: name } });
    expect(erased.result.passes).toBe(1);
    expect((await client.get(`/api/v3/pass/${own.identifier}`)).status).toBe(404);
    expect((await client.get(`/api/v3/pass/${other.identifier}`)).status).toBe(200);
    expect((await stranger.get(`/api/v3/pass/${foreign.identifier}`)).status).toBe(200);
  });

  test('is found by a property in every template that has it, and by a phone number with spaces', async () => {
    const mark = word();
    const first = await create(client, { templateId, 'Full name': mark, phoneRecipient: '+49 170 555 01 23' });
    const row = await d1<{ properties: string }>('select properties from passes where id = ?', [first.identifier]);
    const [propertyId] = Object.keys(JSON.parse(row[0]!.properties));
    const { body } = await client.post(`/api/pass-template/copy/${templateId}`, { name: 'Copy' });
    await create(client, { templateId: body.identifier, 'Full name': mark });
    const match = { property: { id: propertyId, value: mark } };
    expect((await ask(client, 'erase', { match, dryRun: true })).result.passes).toBe(2);
    const numbered = { match: { phoneRecipient: '+49 170 555 01 23' }, dryRun: true };
    expect((await ask(client, 'erase', numbered)).result.passes).toBe(1);
    expect((await ask(client, 'erase', { match })).result.passes).toBe(2);
  });

  test('shares an image with others, which stays while one of them shows it', async () => {
    const shared = picture();
    const outside = await openOutsideServer(() => ({ body: shared }));
    const photo = { urlToThumbnail: `${outside.origin}/photo.png` };
    const [userProvidedId, other] = [word(), word()];
    await create(client, { templateId, userProvidedId, ...photo });
    await create(client, { templateId, userProvidedId: other, ...photo });
    await ask(client, 'erase', { match: { userProvidedId } });
    const address = `/images/${await sha256(shared)}` as const;
    expect((await send('GET', address)).status).toBe(200);
    await ask(client, 'erase', { match: { userProvidedId: other } });
    await eventually(async () => (await send('GET', address)).status === 404);
    await outside.close();
  });

  test('is erased from stored replies without a pass, and those of others stay', async () => {
    const [mark, other] = [word(), word()];
    await create(client, { templateId, userProvidedId: mark });
    const dryRun = async (userProvidedId: string) => {
      const body = { templateId, passes: [{ userProvidedId, expirationDate: 'never' }], dryRun: true };
      const headers = { 'Idempotency-Key': crypto.randomUUID() };
      const post = () => client.post('/api/v3/pass/bulk/create', body, headers);
      expect(Object.keys((await post()).body.data.errors)).toEqual([userProvidedId]);
      return post;
    };
    const [own, foreign] = [await dryRun(mark), await dryRun(other)];
    expect((await ask(client, 'erase', { match: { userProvidedId: mark } })).result).toMatchObject({ replies: 1 });
    expect([(await own()).status, (await foreign()).headers.get('Idempotent-Replayed')]).toEqual([422, 'true']);
  });

  test('with many passes is erased in pages while callers continue', async () => {
    const { client: owner, templateId: crowded } = await createdCrowd(0);
    const level = { additionalProperties: [{ name: 'Level', type: 'text' }] };
    const template = await owner.createTemplate(level as never);
    const passes = Array.from({ length: 1_200 }, () => ({ Level: 'doomed' }));
    await ended(owner, await owner.post('/api/v3/pass/bulk/create', { templateId: template, passes }));
    const [row] = await d1<{ properties: string }>('select properties from passes where template_id = ? limit 1', [
      template,
    ]);
    const [id] = Object.keys(JSON.parse(row!.properties));
    const started = await owner.post('/api/v3/person/erase', { match: { property: { id, value: 'doomed' } } });
    await create(owner, { templateId: crowded });
    const erased = (await ended(owner, started)) as Result;
    expect(erased).toMatchObject({ status: 'finished', current: 1_200, total: 1_200, result: { passes: 1_200 } });
    // Uses indexes, without a search per value: a page of fifty costs the same for any number of passes.
    const ranges = await allLogged({ event: 'job', job: 'apply-process-range', subject: started.body.data.processId });
    expect(Math.max(...ranges.map(({ d1RoundTrips }) => Number(d1RoundTrips)))).toBeLessThanOrEqual(25);
    expect(Math.max(...ranges.map(({ rowsRead }) => Number(rowsRead)))).toBeLessThan(8_000);
    const counts =
      'select (select count(*) from passes where template_id = ?) as passes, pass_count from templates where id = ?';
    expect(await d1(counts, [template, template])).toEqual([{ passes: 0, pass_count: 0 }]);
  });

  test('is exported as an archive, available through the process’s link', async () => {
    const mark = word();
    const photo = picture();
    const outside = await openOutsideServer(() => ({ body: photo }));
    await subscribed(client, `${outside.origin}/hook`, { event: 'pass_created', retryEnabled: false });
    const data = { templateId, userProvidedId: mark, 'Full name': mark, emailRecipient: `${mark}@example.com` };
    const pass = await create(client, { ...data, urlToThumbnail: `${outside.origin}/photo.png` });
    await create(client, { templateId, 'Full name': 'Somebody else' });
    const scanner = await createConfiguration(client, { passTemplateIds: [templateId], scanMode: 1 });
    await scan(client, scanner, pass.barcodeValue, { deviceName: 'Gate 3' });
    const started = await client.post('/api/v3/person/export', { match: { userProvidedId: mark } });
    const { result } = (await ended(client, started)) as Result;
    expect(result).toMatchObject({ passes: 1, scans: 1, messages: 1, images: 1, validUntil: expect.any(String) });
    // None of its files can be read without the key.
    expect(await remainsOf([mark], START)).not.toContainEqual(expect.stringContaining('person-exports/'));
    const url = new URL(String(result.url));
    const reply = await fetchWorker(new URL(url.pathname, inject('worker').origin), { method: 'GET', headers: {} });
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/zip',
      'cache-control': 'no-store',
    });
    const files = readZip(Buffer.from(await reply.arrayBuffer()));
    const json = (name: string) => JSON.parse(files.get(name)!.toString());
    expect([...files.keys()]).toEqual([
      ...['passes.json', 'scans.json', 'messages.json', 'events.json'],
      `images/${await sha256(photo)}`,
    ]);
    expect(json('passes.json')).toMatchObject([
      { identifier: pass.identifier, userProvidedId: mark, additionalProperties: { 'Full name': mark } },
    ]);
    expect(json('scans.json')).toMatchObject([{ passId: pass.identifier, deviceName: 'Gate 3' }]);
    expect(json('messages.json')).toMatchObject([{ recipient: `${mark}@example.com` }]);
    expect(json('events.json')[0]).toMatchObject({ type: 'pass_created', body: { userProvidedId: mark } });
    expect(files.get(`images/${await sha256(photo)}`)).toEqual(photo);
    await outside.close();

    // Neither another process nor a later expiry opens it, and not every key sees it.
    const forged = url.pathname.replace(/\/\d+\./, `/${Date.now() + 1e9}.`) as `/${string}`;
    expect((await send('GET', forged)).status).toBe(404);
    const { processId } = started.body.data;
    const other = url.pathname.replace(processId, crypto.randomUUID()) as `/${string}`;
    expect((await send('GET', other)).status).toBe(404);
    expect((await client.get(`/api/v3/process/${processId}`)).body.data.result.url).toBe(String(result.url));
    const limited = await keyWith(client, 'passes:read');
    const seen = (await limited.get(`/api/v3/process/${processId}`)).body.data;
    expect([seen.result.passes, seen.result.url]).toEqual([1, undefined]);
    const refused = await limited.post('/api/v3/person/export', { match: { userProvidedId: mark } });
    expect([refused.status, refused.body.errors]).toEqual([403, ['missing scope: persons:manage']]);
  });

  test('is canceled or retried as a process only by keys that may manage persons', async () => {
    const started = await client.post('/api/v3/person/erase', { match: { userProvidedId: word() } });
    await ended(client, started);
    const path = `/api/v3/process/${started.body.data.processId}` as const;
    const editor = await keyWith(client, 'passes:write');
    const both = await keyWith(client, 'passes:write', 'persons:manage');
    for (const key of [editor, both]) {
      const refusals = key === editor ? ['missing scope: persons:manage'] : [];
      for (const reply of [await key.delete(path), await key.post(`${path}/retry`)]) {
        expect(reply.body.errors ?? []).toEqual(refusals);
        expect(reply.status === 403).toBe(key === editor);
      }
    }
    expect((await editor.get(path)).status).toBe(200);
  });

  test('adds entries without values to the audit log', async () => {
    const mark = word();
    await ask(client, 'erase', { match: { userProvidedId: mark } });
    await ask(client, 'export', { match: { userProvidedId: mark } });
    const { body } = await client.get('/api/v3/audit-log?pageSize=10');
    const actions = body.data.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 2)).toEqual(['person.export', 'person.erase']);
    expect(JSON.stringify(body)).not.toContain(mark);
  });
});

/** Returns the account with a key that has only these scopes. */
async function keyWith(client: Client, ...scope: string[]): Promise<Client> {
  const named = { account: client.accountId, name: scope.join(' '), scope };
  const { apiKey } = await admin<{ apiKey: string }>('api-key create', named);
  return clientOf(client.accountId, apiKey);
}
