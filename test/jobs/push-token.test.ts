import { generateKeyPairSync } from 'node:crypto';
import { importSPKI, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { control } from '../support/control.ts';
import { type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { SimulatedPhone } from '../support/phone.ts';

/* Requests that the Worker itself sends to Apple, from workerd, which only supports HTTP/1.1 (docs/wallets.md). */

const APNS_HOST = 'api.push.apple.com';
const KEY = { keyId: 'ABC123DEFG', teamId: 'TESTTEAM01' };
const passTypeId = 'pass.com.example.token';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let client: Client;
let apns: OutsideServer;
let answer: { status: number; body?: string } = { status: 200 };
beforeAll(async () => {
  client = await freshAccount();
  apns = await openOutsideServer(() => answer);
  await control('registerHost', { hostname: APNS_HOST, origin: apns.address });
  const facts = { passTypeId, teamId: KEY.teamId, organizationName: 'Example', keyType: 'ec' } as const;
  const { rootPem, ...files } = await createDevelopmentAuthority(facts);
  const imported = { account: client.accountId, ...files };
  const { certificateId: id } = await admin<{ certificateId: string }>('certificate import', imported);
  const p8 = privateKey.export({ type: 'pkcs8', format: 'pem' });
  await admin('certificate push', { id, p8, 'key-id': KEY.keyId });
});
afterAll(async () => {
  await control('registerHost', { hostname: APNS_HOST });
  await apns.close();
});

test('has Apple’s format, is signed with the key, and is retried when Apple is busy', async () => {
  const pass = await client.createPass(await client.createTemplate(), { 'Full name': 'Ada' });
  const phone = new SimulatedPhone();
  await phone.download(pass.linkToPassPage);
  await phone.register();
  answer = { status: 503, body: '{"reason":"ServiceUnavailable"}' };
  expect((await client.patch(`/api/v3/pass/${pass.identifier}`, { data: { 'Full name': 'Grace' } })).status).toBe(200);
  const [first] = await apns.received();
  answer = { status: 200 };
  const [, second] = await apns.received(2);
  for (const request of [first!, second!]) {
    expect(request).toMatchObject({ method: 'POST', path: `/3/device/${phone.pushToken}` });
    expect(request.body.toString()).toBe('{}');
    expect(request.headers).toMatchObject({
      'x-forwarded-host': APNS_HOST,
      'apns-topic': passTypeId,
      'apns-push-type': 'background',
      'apns-priority': '5',
    });
    const [, token] = /^bearer (\S+)$/.exec(request.headers.authorization!)!;
    const key = await importSPKI(publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'ES256');
    const { payload, protectedHeader } = await jwtVerify(token!, key, { algorithms: ['ES256'], maxTokenAge: '1 hour' });
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: KEY.keyId });
    expect(payload.iss).toBe(KEY.teamId);
  }
});
