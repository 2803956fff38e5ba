import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { demoPassData } from '../../../scripts/demo/passes.ts';
import { DEMO_KEYS, type DemoKey, demoTemplates } from '../../../scripts/demo/templates.ts';
import { createDevelopmentAuthority } from '../../../scripts/development-ca.ts';
import { shardOf } from '../../../src/platform/ids.ts';
import { webServicePath } from '../../../src/wallets/apple/pass-file-cache.ts';
import { admin, type Client, type CreatedPass, freshAccount, send } from '../../support/api.ts';
import { eventually, logged, storedKeys } from '../../support/control.ts';
import { PASS_TYPE_ID, TEAM_ID } from '../../support/start-worker.ts';
import { printSignature, unzip, verifySignature } from './tools.ts';

const STYLES: Partial<Record<DemoKey, string>> = { seasonTicket: 'eventTicket', transitTicket: 'boardingPass' };

let client: Client;
const created = {} as Record<DemoKey, CreatedPass>;

beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  for (const { key, definition } of await demoTemplates()) {
    const reply = await client.post('/api/v2/pass-template', definition);
    expect([key, reply.status, reply.body.errors]).toEqual([key, 201, []]);
    created[key] = await client.createPass(reply.body.data.identifier, demoPassData(key));
  }
});

const download = async (key: DemoKey) => {
  const reply = await send('GET', created[key].linkToPassFile as '/');
  expect(reply.status).toBe(200);
  return { ...reply, files: unzip(reply.body) };
};

describe.each(DEMO_KEYS)('the pass file of a %s', (key) => {
  test('is signed, and openssl accepts it', async () => {
    const { files } = await download(key);
    const [manifest, signature] = [files.get('manifest.json')!, files.get('signature')!];
    verifySignature(manifest, signature, inject('worker').trust.rootPem);
    const printed = printSignature(signature);
    expect(printed).toContain('signingTime');
    expect(printed.match(/d\.certificate:/g)).toHaveLength(2);
  });

  test('lists the digest of each of its files, and has the icon at three scales', async () => {
    const { files } = await download(key);
    const manifest = JSON.parse(files.get('manifest.json')!.toString());
    const listed = [...files].filter(([name]) => name !== 'manifest.json' && name !== 'signature');
    const digests = listed.map(([name, bytes]) => [name, createHash('sha1').update(bytes).digest('hex')]);
    expect(manifest).toEqual(Object.fromEntries(digests));
    expect(Object.keys(manifest)).toEqual(expect.arrayContaining(['icon.png', 'icon@2x.png', 'icon@3x.png']));
  });

  test('names certificate, pass and update service', async () => {
    const { files } = await download(key);
    const pass = JSON.parse(files.get('pass.json')!.toString());
    expect(pass).toMatchObject({
      formatVersion: 1,
      passTypeIdentifier: PASS_TYPE_ID,
      teamIdentifier: TEAM_ID,
      serialNumber: created[key].identifier,
      webServiceURL: `${inject('worker').origin}${webServicePath(shardOf(created[key].identifier))}`,
      authenticationToken: expect.stringMatching(/^[\w-]{22,}$/),
    });
    expect(pass).toHaveProperty(STYLES[key] ?? key);
    expect(JSON.stringify(pass)).not.toMatch(/\{\w+\}/);
  });
});

test('the boarding pass contains the flight and its semantic tags', async () => {
  const { files } = await download('boardingPass');
  const pass = JSON.parse(files.get('pass.json')!.toString());
  expect(pass.boardingPass.transitType).toBe('PKTransitTypeAir');
  expect(pass.semantics).toMatchObject({
    airlineCode: 'ZZ',
    flightNumber: 2184,
    departureAirportCode: 'ZRH',
    destinationAirportCode: 'LIS',
  });
});

describe('the link', () => {
  test('returns the type, a name and the signature’s kind', async () => {
    const { headers } = await download('generic');
    expect(headers.get('Content-Type')).toBe('application/vnd.apple.pkpass');
    expect(headers.get('Content-Disposition')).toContain(`${created.generic.identifier}.pkpass`);
    expect(headers.get('X-Pass-Signature')).toBe('development');
    expect(Date.parse(headers.get('Last-Modified')!)).not.toBeNaN();
    await logged({ event: 'development-signature', pass: created.generic.identifier });
  });

  test('is found only with its secret', async () => {
    const { identifier, linkToPassFile } = created.generic;
    const wrong = linkToPassFile.replace(/\/[\w-]{25}\.pkpass$/, `/${'x'.repeat(25)}.pkpass`);
    expect((await send('GET', wrong as '/')).status).toBe(404);
    expect((await send('GET', `/passes/${identifier}/.pkpass`)).status).toBe(404);
    expect((await send('GET', `/passes/no-uuid/${'x'.repeat(25)}.pkpass`)).status).toBe(404);
  });

  test('returns 304 for what the caller already has', async () => {
    const link = created.coupon.linkToPassFile as '/';
    const first = await send('GET', link);
    const reply = await send('GET', link, undefined, { 'If-Modified-Since': first.headers.get('Last-Modified')! });
    expect([reply.status, reply.body]).toEqual([304, undefined]);
  });

  test('returns the file with a renewed certificate to callers with the previous one', async () => {
    const caller = await freshAccount();
    const pass = await caller.createPass(await caller.createTemplate());
    const read = (headers: Record<string, string>) => send('GET', pass.linkToPassFile as '/', undefined, headers);
    const first = await read({});
    const [tag, modified] = [first.headers.get('ETag')!, first.headers.get('Last-Modified')!];
    const future = new Date(Date.now() + 86_400_000).toUTCString();
    const same = await read({ 'If-None-Match': `"other", W/${tag}` });
    expect([same.status, same.body, same.headers.get('ETag')]).toEqual([304, undefined, tag]);
    // The tag takes precedence over the time.
    expect((await read({ 'If-None-Match': '"other"', 'If-Modified-Since': future })).status).toBe(200);
    await setTimeout(Math.max(0, Date.parse(modified) + 1_000 - Date.now()));
    const facts = { teamId: 'TEAM012345', organizationName: 'Renewed', keyType: 'ec' } as const;
    const passTypeId = `pass.com.example.renewed-${caller.accountId}`;
    const { rootPem: _, ...files } = await createDevelopmentAuthority({ ...facts, passTypeId });
    await admin('certificate import', { account: caller.accountId, ...files });
    const answers = await Promise.all([
      read({ 'If-Modified-Since': modified }),
      read({ 'If-None-Match': tag, 'If-Modified-Since': future }),
    ]);
    for (const { status, body, headers } of answers) {
      expect([status, headers.get('ETag') === tag]).toEqual([200, false]);
      expect(JSON.parse(unzip(body).get('pass.json')!.toString()).passTypeIdentifier).toBe(passTypeId);
    }
  });

  test('returns a file signed with a P-256 key once such a certificate was imported, and openssl accepts it', async () => {
    const caller = await freshAccount();
    const passTypeId = `pass.com.example.curve-${caller.accountId}`;
    const facts = { passTypeId, teamId: 'TEAM012345', organizationName: 'Curve', keyType: 'ec' } as const;
    const { rootPem, ...files } = await createDevelopmentAuthority(facts);
    await admin('certificate import', { account: caller.accountId, ...files });
    const pass = await caller.createPass(await caller.createTemplate());
    const opened = unzip((await send('GET', pass.linkToPassFile as '/')).body);
    const [manifest, signature] = [opened.get('manifest.json')!, opened.get('signature')!];
    verifySignature(manifest, signature, rootPem);
    expect(printSignature(signature)).toMatch(/signatureAlgorithm: *\n *algorithm: ecdsa-with-SHA256/);
  });

  test('returns the stored file again, byte for byte, until the pass changes', async () => {
    const { identifier, linkToPassFile } = created.storeCard;
    const first = await send('GET', linkToPassFile as '/');
    await eventually(async () => (await storedKeys(`pass-files/${identifier}`)).length === 1);
    const again = await send('GET', linkToPassFile as '/');
    expect(Buffer.from(again.body).equals(Buffer.from(first.body))).toBe(true);

    await client.put(`/api/pass/${identifier}`, { voided: true });
    const since = { 'If-Modified-Since': first.headers.get('Last-Modified')! };
    const changed = await send('GET', linkToPassFile as '/', undefined, since);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('ETag')).not.toBe(first.headers.get('ETag'));
    expect(JSON.parse(unzip(changed.body).get('pass.json')!.toString()).voided).toBe(true);
  });
});
