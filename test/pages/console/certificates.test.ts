import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newIssuer, newPassCertificate, subjectOf } from '../../domain/certificates/pass-certificates.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { actionsOf } from '../../support/audit.ts';
import { control, costOf, d1 } from '../../support/control.ts';
import { GoogleStandIn } from '../../support/google-stand-in.ts';
import { newRsaKeys } from '../../support/rsa-keys.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let owner: Visitor;
let folder: string;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  owner = await visitor(account, ['owner']);
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Files = Record<string, string | Uint8Array>;

/** Sends a form with files like a browser. */
async function upload(who: Visitor, path: string, files: Files, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) form.set(name, new File([content as string], `${name}.file`));
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const response = await fetch(new URL(path, inject('worker').origin), {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'same-origin', ...who.cookie },
    body: form,
    redirect: 'manual',
  });
  return { status: response.status, location: response.headers.get('Location') ?? '', body: await response.text() };
}

/** Builds a PKCS#12 file of a certificate with its key and issuer, like openssl. */
function pkcs12(
  name: string,
  pem: { certificatePem: string; privateKeyPem: string; issuerPem: string },
  ...options: string[]
) {
  const file = (part: string, content = '') => {
    const path = join(folder, `${name}.${part}`);
    if (content) writeFileSync(path, content);
    return path;
  };
  const [certificate, key, issuer] = [
    file('c', pem.certificatePem),
    file('k', pem.privateKeyPem),
    file('i', pem.issuerPem),
  ];
  const names = ['-in', certificate, '-inkey', key, '-certfile', issuer, '-out', file('p12')];
  execFileSync('openssl', ['pkcs12', '-export', ...names, '-passout', 'pass:sesame', ...options], { stdio: 'pipe' });
  return readFileSync(file('p12'));
}

async function made(passTypeId: string, validDays = 100) {
  const issuer = await newIssuer('CN=Example WWDR');
  const pem = await newPassCertificate(issuer, { subject: subjectOf(passTypeId), validDays });
  return { ...pem, issuerPem: issuer.pem };
}

const base = (client = account) => consolePath(client, 'certificates');

/** Adds a certificate from its PEM files, and returns its page's address. */
async function added(who: Visitor, client: Client, passTypeId: string, validDays?: number): Promise<`/${string}`> {
  const { certificatePem, privateKeyPem, issuerPem } = await made(passTypeId, validDays);
  const files = { certificate: certificatePem, key: privateKeyPem, intermediate: issuerPem };
  const { status, location, body } = await upload(who, base(client), files);
  expect(status, body).toBe(303);
  return location as '/';
}

describe('a certificate without a Mac', () => {
  /** Starts a request, and returns its page and the file for Apple. */
  async function started(who: Visitor, client: Client, fields: Record<string, string> = {}) {
    const { status, location, body } = await upload(who, `${base(client)}/requests`, {}, fields);
    expect(status, body).toBe(303);
    const file = await fetch(new URL(`${location}/file`, inject('worker').origin), { headers: who.cookie });
    expect(file.headers.get('Content-Disposition')).toMatch(/certSigningRequest"$/);
    return { page: location as `/${string}`, requestPem: await file.text() };
  }

  async function issued(requestPem: string, passTypeId: string, validDays = 100) {
    const issuer = await newIssuer('CN=Example WWDR');
    const facts = { subject: subjectOf(passTypeId), requestPem, validDays };
    return { certificate: (await newPassCertificate(issuer, facts)).certificatePem, intermediate: issuer.pem };
  }

  test('is requested, issued, added and renewed on the same page, with entries in the log', async () => {
    const own = await freshAccount();
    const holder = await visitor(own, ['owner']);
    const { page, requestPem } = await started(holder, own);
    expect((await holder.get(base(own))).body).toContain('New certificate');
    const refused = await upload(holder, page, {});
    expect([refused.status, refused.body.includes('Certificate (pass.cer): is required')], refused.body).toEqual([
      400,
      true,
    ]);
    const done = await upload(holder, page, await issued(requestPem, 'pass.com.example.wizard', 20));
    expect(done.status, done.body).toBe(303);
    const shown = (await holder.get(done.location as '/')).body;
    expect(shown).toContain('20 days left');
    expect((await holder.get(page)).status).toBe(404);
    const renewed = /name="renewed" value="([^"]+)"/.exec(shown)![1]!;
    const renewal = await started(holder, own, { renewed });
    expect((await holder.get(renewal.page)).body).toContain('Renew pass.com.example.wizard');
    const files = await issued(renewal.requestPem, 'pass.com.example.wizard', 300);
    expect((await upload(holder, renewal.page, files)).status).toBe(303);
    const list = (await holder.get(base(own))).body;
    expect([list.includes('>Replaced<'), list.includes('days left')]).toEqual([true, false]);
    expect((await actionsOf(own.accountId)).filter((action) => action === 'certificate.request')).toHaveLength(2);
    expect((await actionsOf(own.accountId)).filter((action) => action === 'certificate.import')).toHaveLength(2);
  });

  test('is canceled: the request and its key are deleted, with an entry in the log', async () => {
    const own = await freshAccount();
    const holder = await visitor(own, ['owner']);
    const { page } = await started(holder, own);
    expect((await holder.get(`${page}/delete`)).body).toContain('Delete the signing request?');
    expect((await upload(holder, `${page}/delete`, {})).location).toBe(base(own));
    expect((await holder.get(page)).status).toBe(404);
    expect((await actionsOf(own.accountId)).filter((action) => action === 'certificate.withdraw')).toHaveLength(1);
  });

  test('is only for owners', async () => {
    const { page } = await started(owner, account);
    const member = await visitor(account, ['read']);
    expect((await member.get(page)).status).toBe(403);
    expect((await upload(member, `${base()}/requests`, {})).status).toBe(403);
  });
});

describe('a certificate', () => {
  test.each([
    ['of today', []],
    ['of older programs', ['-legacy']],
  ])(
    'is uploaded as a .p12 file %s, and neither its key nor its password is stored in plain text',
    async (kind, options) => {
      const pem = await made(`pass.com.example.${kind.length}`);
      const p12 = pkcs12(String(kind.length), pem, ...options);
      for (const password of ['', 'wrong']) {
        const refused = await upload(owner, base(), { p12 }, { password });
        expect([
          refused.status,
          refused.body.includes('id="password-error">The password of the .p12 file is missing or wrong'),
        ]).toEqual([400, true]);
      }
      const { status, location, body } = await upload(owner, base(), { p12 }, { password: 'sesame' });
      expect(status, body).toBe(303);
      expect((await owner.get(location as '/')).body).toContain(`pass.com.example.${kind.length}`);
      const rows = await d1('select * from certificates where account_id = ?', [account.accountId]);
      expect(JSON.stringify(rows)).not.toMatch(/sesame|PRIVATE KEY/);
      const audit = await d1('select * from audit_entries where account_id = ?', [account.accountId]);
      expect(JSON.stringify(audit)).not.toContain('sesame');
      expect(JSON.stringify(audit)).toContain('certificate.import');
    },
  );

  test('that would keep the Worker busy is rejected before its password is tried', async () => {
    const pem = await made('pass.com.example.busy');
    for (const option of [
      ['-maciter', '-iter', '100001'],
      ['-nomac', '-iter', '100001'],
    ]) {
      const reply = await upload(owner, base(), { p12: pkcs12('busy', pem, ...option) }, { password: 'sesame' });
      expect([reply.status, reply.body.includes('in more than 100000 rounds')], reply.body).toEqual([400, true]);
    }
    const good = await upload(owner, base(), { p12: pkcs12('busy', pem, '-iter', '50000') }, { password: 'sesame' });
    expect(good.status, good.body).toBe(303);
  });

  test('is uploaded as PEM, and signs the passes of its account', async () => {
    const own = await freshAccount();
    const holder = await visitor(own, ['owner']);
    await added(holder, own, 'pass.com.example.signs');
    const { linkToPassFile } = await own.createPass(await own.createTemplate());
    const archive = (await own.get(linkToPassFile as '/')).body as Uint8Array;
    expect(Buffer.from(archive).toString('latin1')).toContain('pass.com.example.signs');
  });

  test.each([
    [{}, 'Send a .p12 file'],
    [{ p12: 'nonsense' }, 'id="p12-error">The .p12 file cannot be read'],
    [{ certificate: 'nonsense', key: 'nonsense' }, 'Private key (.pem, .key): must be a private key'],
    [{ certificate: '-----BEGIN' }, 'Send a .p12 file'],
  ])('that is %o is rejected with the reason', async (files, message) => {
    const reply = await upload(owner, base(), files);
    expect([reply.status, reply.body.includes(message)], reply.body).toEqual([400, true]);
  });

  test('whose issuer or key does not match is rejected', async () => {
    const [one, other] = [await made('pass.com.example.a'), await made('pass.com.example.b')];
    const files = { certificate: one.certificatePem, key: one.privateKeyPem, intermediate: one.issuerPem };
    const foreignKey = await upload(owner, base(), { ...files, key: other.privateKeyPem });
    expect([foreignKey.status, foreignKey.body.includes('does not belong to the private key')]).toEqual([400, true]);
    const foreignIssuer = await upload(owner, base(), { ...files, intermediate: '' });
    expect([foreignIssuer.status, foreignIssuer.body.includes('the certificate of the issuer is missing')]).toEqual([
      400,
      true,
    ]);
  });

  test('warns before it expires, can be the default, and can be deleted only if no pass needs it', async () => {
    const own = await freshAccount();
    const holder = await visitor(own, ['owner']);
    const ending = await added(holder, own, 'pass.com.example.ending', 20);
    const lasting = await added(holder, own, 'pass.com.example.lasting', 300);
    const list = await holder.get(base(own));
    expect(list.body).toContain('A certificate expires soon');
    expect(list.body).toContain('20 days left');
    await own.createPass(await own.createTemplate());
    const facts = async (path: `/${string}`) => (await holder.get(path)).body;
    // The first type stays the default, although another one is valid longer.
    expect(await facts(ending)).toMatch(/>Default<.*Signs passes<\/dt><dd>1</s);
    expect((await holder.get(`${lasting}/default`)).body).toContain('no longer update');
    await holder.post(`${lasting}/default`);
    expect(await facts(lasting)).toMatch(/>Default<.*Signs passes<\/dt><dd>1</s);
    expect(await facts(ending)).toMatch(/Signs passes<\/dt><dd>0</);
    await holder.post(`${ending}/default`);
    expect(await facts(ending)).toMatch(/>Default<.*Signs passes<\/dt><dd>1</s);
    expect((await holder.get(`${ending}/delete`)).body).toContain('nobody can download or update them');
    const refused = await holder.post(`${ending}/delete`);
    expect([refused.status, refused.body.includes('The certificate signs the updates of 1 passes')]).toEqual([
      400,
      true,
    ]);
    const renewed = await added(holder, own, 'pass.com.example.ending', 400);
    expect(await facts(renewed)).toMatch(/>Default<.*Signs passes<\/dt><dd>1</s);
    expect((await holder.get(`${ending}/delete`)).body).toContain('passes keep working');
    expect((await holder.post(`${ending}/delete`)).headers.get('Location')).toBe(base(own));
    const kept = (await actionsOf(own.accountId)).filter((action) => action.startsWith('certificate.'));
    expect(kept.slice(-3)).toEqual(['certificate.prefer', 'certificate.import', 'certificate.delete']);
    expect((await holder.get(ending)).status).toBe(404);
    const cost = await costOf(await holder.get(renewed));
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
  });

  test('shows how its pushes reach Apple, by a key or a relay, and never the secrets', async () => {
    const path = await added(owner, account, 'pass.com.example.pushes');
    const p8 = execFileSync('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']);
    const keyed = { way: 'p8', keyId: 'ABCDE12345', teamId: 'TEAM012345' };
    const saved = await upload(owner, `${path}/push`, { p8 }, keyed);
    expect(saved.status, saved.body).toBe(303);
    expect((await owner.get(path)).body).toContain('key ABCDE12345 of team TEAM012345');
    const refused = await upload(owner, `${path}/push`, { p8: 'nonsense' }, { ...keyed, keyId: 'ZZZZZ99999' });
    expect([refused.status, refused.body.includes('value="ZZZZZ99999"')]).toEqual([400, true]);
    const relay = { way: 'relay', relayUrl: 'https://relay.example.com', relayToken: 'a-token-of-more-than-twenty' };
    expect((await owner.post(`${path}/push`, relay)).status).toBe(303);
    expect((await actionsOf(account.accountId)).slice(-2)).toEqual(['certificate.push', 'certificate.push']);
    const shown = (await owner.get(path)).body;
    expect(shown).toContain('relay https://relay.example.com');
    expect(shown).not.toContain(relay.relayToken);
    expect((await owner.post(`${path}/push`, { ...relay, relayUrl: 'http://10.0.0.1' })).status).toBe(400);
    const without = await owner.post(`${path}/push`, { ...relay, relayUrl: '' });
    expect([without.status, /<li>URL: .*id="relayUrl-error"/s.test(without.body)]).toEqual([400, true]);
    expect((await owner.post(`${path}/push`, { way: 'mtls', binding: 'APNS_OTHER' })).status).toBe(400);
  });
});

const HOSTS = ['oauth2.googleapis.com', 'walletobjects.googleapis.com'];

describe('a Google issuer', () => {
  let google: GoogleStandIn;
  beforeAll(async () => {
    google = await GoogleStandIn.open();
    for (const hostname of HOSTS) await control('registerHost', { hostname, origin: google.server.address });
  });
  afterAll(async () => {
    for (const hostname of HOSTS) await control('registerHost', { hostname });
    await google.close();
  });
  const keyFile = ({ clientEmail, privateKeyPem }: { clientEmail: string; privateKeyPem: string }) =>
    JSON.stringify({ client_email: clientEmail, private_key: privateKeyPem });

  test('of somebody else is rejected: Google does not accept the address with another key', async () => {
    const { privateKey } = await newRsaKeys();
    const file = keyFile({ clientEmail: google.newIssuer().clientEmail, privateKeyPem: privateKey });
    const issuerId = '3388000000087654321';
    const refused = await upload(owner, `${base()}/google`, { serviceAccount: file }, { issuerId });
    expect([refused.status, refused.body.includes('Google does not accept this key')]).toEqual([400, true]);
    expect((await owner.get(base())).body).not.toContain(issuerId);
  });

  test('to which the service account has no access is rejected, with the next step', async () => {
    const issuerId = '3388000000099999999';
    google.foreignIssuers.add(issuerId);
    const fields = { issuerId, pasted: keyFile(google.newIssuer()) };
    const refused = await upload(owner, `${base()}/google`, {}, fields);
    expect([refused.status, refused.body.includes('has no access to the issuer')], refused.body).toEqual([400, true]);
    google.foreignIssuers.delete(issuerId);
    expect((await upload(owner, `${base()}/google`, {}, fields)).status).toBe(303);
    expect((await owner.get(base())).body).toContain(issuerId);
  });

  test('is added with the key file of its service account', async () => {
    const issuer = google.newIssuer();
    const file = keyFile(issuer);
    const reply = await upload(
      owner,
      `${base()}/google`,
      { serviceAccount: file },
      { issuerId: '3388000000012345678' },
    );
    expect(reply.status, reply.body).toBe(303);
    expect((await owner.get(base())).body).toMatch(/3388000000012345678<.*>Active<.*@example\.iam/s);
    const refused = await upload(owner, `${base()}/google`, { serviceAccount: '{}' }, { issuerId: '12345' });
    expect([refused.status, refused.body.includes('value="12345"')]).toEqual([400, true]);
  });
});

describe('certificates', () => {
  test('are shown to members, changed only by owners, and not found by other accounts', async () => {
    const path = await added(owner, account, 'pass.com.example.ours');
    const reader = await visitor(account, ['read', 'templates.edit', 'passes.edit', 'api_keys.manage']);
    expect((await reader.get(path)).body).not.toMatch(/<form|\/delete/);
    const verbs = ['default', 'delete', 'push'];
    for (const verb of verbs) expect((await reader.post(`${path}/${verb}`)).status).toBe(403);
    expect((await reader.get(`${base()}/new`)).status).toBe(403);
    expect((await upload(reader, base(), {})).status).toBe(403);
    expect((await upload(reader, `${base()}/google`, {})).status).toBe(403);
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    const id = path.slice(path.lastIndexOf('/') + 1);
    for (const foreign of [path, `${base(stranger)}/${id}` as const]) {
      expect((await other.get(foreign)).status).toBe(404);
      for (const verb of verbs) expect((await other.post(`${foreign}/${verb}`, { way: 'none' })).status).toBe(404);
    }
    expect((await owner.get(path)).status).toBe(200);
  });
});
