import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import { PKPass } from 'passkit-generator';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { wholeTemplate } from '../../pages/console/whole-template.ts';
import { admin, type Client, clientOf, freshAccount } from '../../support/api.ts';
import { auditEntries } from '../../support/audit.ts';
import { SAMPLE_FLIGHT, sampleTemplate, type TemplateInput } from '../../support/samples.ts';
import { archiveOf, couponJson, ZIP_TYPE } from '../../support/template-files.ts';
import { unzip } from '../../wallets/apple/tools.ts';

const IMPORT = '/api/v2/pass-template/import';
const MIB = 1024 * 1024;

let client: Client;
let folder: string;
beforeAll(async () => {
  client = await freshAccount();
  folder = mkdtempSync(join(tmpdir(), 'templates-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const picture = async (width: number, height: number, background: string) =>
  (
    await sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer()
  ).toString('base64');

const importFile = (by: Client, bytes: Uint8Array, query = '') =>
  by.post(`${IMPORT}${query}`, new Uint8Array(bytes), ZIP_TYPE);
const describeOf = async (by: Client, id: string) => (await by.get(`/api/v2/pass-template/${id}/describe`)).body.data;

async function imported(by: Client, bytes: Uint8Array, query = '') {
  const { status, body } = await importFile(by, bytes, query);
  expect([status, body.errors]).toEqual([201, []]);
  return { ...body.data, definition: await describeOf(by, body.data.identifier) };
}

async function exported(by: Client, id: string): Promise<Uint8Array> {
  const reply = await by.get(`/api/v2/pass-template/${id}/export`);
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'application/zip']);
  return reply.body;
}

/** Returns an archive's files, without their folder. */
const filesOf = (archive: Uint8Array) =>
  new Map([...unzip(archive)].map(([name, bytes]) => [name.split('/').slice(1).join('/'), bytes]));
const jsonIn = (files: Map<string, Buffer>, name: string) => JSON.parse(files.get(name)!.toString());
const isOwn = (name: string) => name.startsWith('.');
const withoutOwn = (files: Map<string, Buffer>) => Object.fromEntries([...files].filter(([name]) => !isOwn(name)));

describe('a folder made by hand', () => {
  test('is imported from the ZIP of a file manager, with its images', async () => {
    const strip = await picture(750, 288, '#e63946');
    const files: Record<string, string | Buffer> = {
      'pass.json': JSON.stringify(couponJson({ backgroundColor: 'rgb(29, 53, 87)', colour: 'red' })),
      'strip@2x.png': Buffer.from(strip, 'base64'),
      'strip.png': Buffer.from(await picture(375, 144, '#000000'), 'base64'),
      'icon.png': Buffer.from(await picture(29, 29, '#e63946'), 'base64'),
      'de.lproj/pass.strings': '"Offer" = "Angebot";',
    };
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, 'Free coffee.pkpasstemplate', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    execFileSync('zip', ['-qr', 'hand.zip', 'Free coffee.pkpasstemplate'], { cwd: folder });
    const { warnings, definition } = await imported(client, readFileSync(join(folder, 'hand.zip')));
    expect(warnings).toEqual(['colour: is not a member that templates have; left out']);
    expect(definition).toMatchObject({
      name: 'Free coffee',
      type: 'coupon',
      colors: { backgroundColor: '#1d3557' },
      translations: { de: { Offer: 'Angebot' } },
      fields: { primaryFields: [{ key: 'offer', value: 'Free coffee', index: 0 }] },
      images: { logo: null },
    });
    const shown = await client.get(definition.images.strip);
    expect(Buffer.from(shown.body).toString('base64')).toBe(strip);
    const pass = await client.createPass(definition.identifier);
    expect(unzip((await client.get(pass.linkToPassFile as '/')).body).has('strip@2x.png')).toBe(true);
  });

  test('takes name and project from the request', async () => {
    const projectId = (await client.post('/api/v3/project', { name: 'Coffee' })).body.data.identifier;
    const file = archiveOf({ 'pass.json': couponJson() });
    const { definition } = await imported(client, file, `?name=Mine&projectId=${projectId}`);
    expect(definition).toMatchObject({ name: 'Mine', projectId });
    const unknown = await importFile(client, file, `?projectId=${crypto.randomUUID()}`);
    expect([unknown.status, unknown.body.errors]).toEqual([400, ['projectId: is not a project of this account']]);
    expect((await importFile(client, file, '?name=')).body.errors).toEqual(['name: must not be empty']);
  });

  test('is imported once with the same key, and another file counts as another request', async () => {
    const file = archiveOf({ 'pass.json': couponJson() });
    const key = { ...ZIP_TYPE, 'Idempotency-Key': 'coffee' };
    const first = await client.post(IMPORT, file, key);
    const again = await client.post(IMPORT, file, key);
    expect([first.status, again.status, again.headers.get('Idempotent-Replayed')]).toEqual([201, 201, 'true']);
    expect(again.body).toEqual(first.body);
    expect((await client.post(IMPORT, archiveOf({ 'pass.json': couponJson({ logoText: 'x' }) }), key)).status).toBe(
      422,
    );
  });
});

describe('an import is rejected', () => {
  const refusal = async (bytes: Uint8Array, headers: Record<string, string> = ZIP_TYPE) => {
    const { status, body } = await client.post(IMPORT, new Uint8Array(bytes), headers);
    return [status, body.errors?.[0]];
  };

  test('if it has another type, is too large or empty, or is no archive', async () => {
    const file = archiveOf({ 'pass.json': couponJson() });
    expect(await refusal(file, { 'Content-Type': 'application/json' })).toEqual([
      415,
      'Content-Type: expected application/zip or application/vnd.apple.pkpass, got application/json',
    ]);
    expect(await refusal(new Uint8Array(10 * MIB + 1))).toEqual([
      413,
      'The request body is larger than 10485760 bytes',
    ]);
    expect(await refusal(new Uint8Array())).toEqual([400, 'The request has no file']);
    expect(await refusal(new Uint8Array(100))).toEqual([
      400,
      'The archive cannot be imported: it is not a ZIP archive, or it is cut off',
    ]);
    for (const type of ['application/vnd.apple.pkpass', 'application/octet-stream', 'application/x-zip-compressed'])
      expect((await refusal(file, { 'Content-Type': type }))[0]).toBe(201);
  });

  test('if it contains a ZIP bomb, which is not unpacked', async () => {
    // A block of 4 MiB a hundred times, then the end: deflating 400 MiB takes most of a second.
    const block = deflateRawSync(new Uint8Array(4 * MIB), { finishFlush: constants.Z_FULL_FLUSH });
    const end = deflateRawSync(new Uint8Array());
    const bomb = archiveOf({ 'pass.json': new Uint8Array(Buffer.concat([...Array(100).fill(block), end])) });
    const view = new DataView(bomb.buffer);
    const directory = view.getUint32(bomb.length - 6, true);
    for (const at of [8, directory + 10]) view.setUint16(at, 8, true);
    for (const at of [22, directory + 24]) view.setUint32(at, 1_000, true);
    expect(await refusal(bomb)).toEqual([
      400,
      'The archive cannot be imported: pass.json is damaged, or larger than the directory says',
    ]);
  });

  test('if it contains an invalid image, and nothing is stored', async () => {
    const before = (await client.get('/api/pass-template')).body.length;
    const [status, error] = await refusal(archiveOf({ 'pass.json': couponJson(), 'logo@2x.png': 'no image' }));
    expect([status, error]).toEqual([400, expect.stringMatching(/^images\.logo: image is not importable/)]);
    expect((await client.get('/api/pass-template')).body).toHaveLength(before);
  });

  test('for a key restricted to templates, which can export its own', async () => {
    const [mine, other] = [await client.createTemplate(), await client.createTemplate()];
    const options = { account: client.accountId, name: 'Restricted', template: [mine] };
    const key = clientOf(client.accountId, (await admin<{ apiKey: string }>('api-key create', options)).apiKey);
    expect((await importFile(key, archiveOf({ 'pass.json': couponJson() }))).status).toBe(403);
    expect((await key.get(`/api/v2/pass-template/${mine}/export`)).status).toBe(200);
    expect((await key.get(`/api/v2/pass-template/${other}/export`)).status).toBe(404);
    expect((await (await freshAccount()).get(`/api/v2/pass-template/${mine}/export`)).status).toBe(404);
  });
});

describe('a pass file of our own', () => {
  const styles: [string, Partial<TemplateInput>, Record<string, unknown>][] = [
    ['coupon', { type: 'coupon', colors: { backgroundColor: '#ffc9d2' } }, {}],
    ['storeCard', { type: 'storeCard', links: [{ label: 'Site', url: 'https://example.com' }] }, {}],
    [
      'eventTicket',
      { type: 'eventTicket', relevantDate: '2031-08-21 20:00', apple: { semantics: { eventName: 'Derby' } } },
      {},
    ],
    ['generic', { translationsEnabled: true, translations: { de: { Level: 'Stufe' } } }, {}],
    ['boardingPass', { type: 'boardingPass', transitType: 'PKTransitTypeAir' }, SAMPLE_FLIGHT],
  ];

  test.for(styles)('of the style %s makes a template whose passes look the same', async ([, template, fields]) => {
    const images = { logo: await picture(320, 100, '#1d3557'), icon: await picture(87, 87, '#1d3557') };
    const id = await client.createTemplate({ ...template, images, locations: [{ latitude: 1, longitude: 2 }] });
    const pass = await client.createPass(id, { 'Full name': 'Ada', userProvidedId: 'ada', ...fields });
    const file: Uint8Array = (await client.get(pass.linkToPassFile as '/')).body;
    const { identifier, warnings } = await imported(client, file);
    expect(warnings).toContain('serialNumber: each pass gets its own; left out');
    const copy = await client.createPass(identifier, fields);
    const [before, after] = [unzip(file), unzip((await client.get(copy.linkToPassFile as '/')).body)];
    const design = (files: Map<string, Buffer>) => {
      const { serialNumber: _, authenticationToken: __, barcode: ___, barcodes, ...rest } = jsonIn(files, 'pass.json');
      return { ...rest, format: barcodes[0].format, strings: files.get('de.lproj/pass.strings')?.toString() };
    };
    expect(design(after)).toEqual(design(before));
    const pictures = (files: Map<string, Buffer>) =>
      Object.fromEntries([...files].filter(([name]) => /^logo|^icon/.test(name)));
    expect(Object.keys(pictures(after))).toEqual(Object.keys(pictures(before)));
  });
});

describe('an export', () => {
  const full = async () => ({
    ...wholeTemplate(await client.createTemplate()),
    images: {
      logo: await picture(700, 200, '#1d3557'),
      footer: await picture(572, 30, '#e63946'),
      perPassImages: { logo: true },
    },
  });

  test('is a folder in Apple’s format, under the name of the template, that Info-ZIP opens', async () => {
    const id = await client.createTemplate(await full());
    const reply = await client.get(`/api/v2/pass-template/${id}/export`);
    const name = 'Everything -quoted- - -marked';
    expect(reply.headers.get('Content-Disposition')).toBe(
      `attachment; filename="${name}.pkpasstemplate.zip"; filename*=UTF-8''${encodeURIComponent(name)}.pkpasstemplate.zip`,
    );
    const names = [...unzip(reply.body).keys()];
    expect(names.every((one) => one.startsWith(`${name}.pkpasstemplate/`))).toBe(true);
    const files = filesOf(reply.body);
    expect(Object.keys(withoutOwn(files)).toSorted()).toEqual(
      [
        'pass.json',
        ...['de', 'en', 'fr', 'pt-BR'].map((language) => `${language}.lproj/pass.strings`),
        ...['icon', 'logo', 'footer'].flatMap((role) => [`${role}.png`, `${role}@2x.png`]),
        ...['icon@3x.png', 'logo@3x.png'],
      ].toSorted(),
    );
    const pass = jsonIn(files, 'pass.json');
    expect(pass).toMatchObject({
      formatVersion: 1,
      logoText: 'Line {Full name}',
      boardingPass: { transitType: 'PKTransitTypeTrain', headerFields: [{ key: 'gate', value: '{Gate}' }, {}] },
      barcodes: [{ message: '{userProvidedId}', altText: 'No. {barcodeValue}' }],
    });
    for (const secret of [
      'serialNumber',
      'authenticationToken',
      'webServiceURL',
      'teamIdentifier',
      'passTypeIdentifier',
      'nfc',
    ])
      expect(pass).not.toHaveProperty(secret);
  });

  test('restores everything, in this account and in another one', async () => {
    const projectId = (await client.post('/api/v3/project', { name: 'Trains' })).body.data.identifier;
    const id = await client.createTemplate({ ...(await full()), projectId });
    const { identifier: _, ...before } = await describeOf(client, id);
    const archive = await exported(client, id);
    const alone = { userProvidedId: null, projectId: null, passTypeId: null };
    for (const by of [client, await freshAccount()]) {
      const { warnings, definition } = await imported(by, archive);
      expect(warnings).toEqual([]);
      const { identifier: __, userProvidedId, projectId: project, passTypeId, ...after } = definition;
      expect([userProvidedId, project, passTypeId].filter(Boolean)).toEqual([]);
      const expected = { ...before, ...alone, passFunctionality: { ...before.passFunctionality, tiers: [] } };
      for (const name of Object.keys(alone)) delete expected[name];
      expect(after).toEqual(expected);
    }
    const kept = [...unzip(archive).values()].map(String).join('');
    for (const secret of [client.apiKey, client.accountId, projectId, before.userProvidedId])
      expect(kept).not.toContain(secret);
  });

  test('that was edited is imported with the edits', async () => {
    const id = await client.createTemplate({ maxPasses: 7, barcode: { format: 'qr', useAutoIdForValue: true } });
    const files = Object.fromEntries(filesOf(await exported(client, id)));
    const pass = { ...JSON.parse(files['pass.json']!.toString()), logoText: 'Edited' };
    const { warnings, definition } = await imported(client, archiveOf({ ...files, 'pass.json': pass }));
    expect(warnings[0]).toMatch(/^\.pass-wallet-service\/template\.json: not used, because .* export: pass\.json$/);
    expect(definition.logoText).toBe('Edited');
    expect(definition.maxPasses ?? null).toBeNull();
    const beside = await imported(client, archiveOf({ ...files, 'notes.txt': 'x' }));
    expect([beside.warnings, beside.definition.maxPasses]).toEqual([[], 7]);
    const broken = await imported(
      client,
      archiveOf({ ...files, '.pass-wallet-service/template.json': '{"format": 9}' }),
    );
    expect(broken.warnings[0]).toMatch(/^\.pass-wallet-service\/template\.json: not used, because it is not valid/);
    expect(broken.definition.fields.headerFields).toMatchObject([{ key: 'level', value: '{Level}' }]);
  });

  test('of large images stays within the import limit, and reports which ones were reduced', async () => {
    const noise = async (width: number, height: number) =>
      await sharp({
        create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
      })
        .jpeg({ quality: 100 })
        .toBuffer();
    const [background, strip] = [await noise(1_900, 1_900), await noise(1_850, 1_850)];
    const pass = couponJson({ coupon: undefined, eventTicket: {} });
    const large = archiveOf({ 'pass.json': pass, 'background.jpg': background, 'thumbnail.jpg': strip });
    expect(large.length).toBeGreaterThan(8 * MIB);
    const { identifier: id } = await imported(client, large);
    const archive = await exported(client, id);
    expect(archive.length).toBeLessThan(10 * MIB);
    const { warnings, definition } = await imported(client, archive);
    expect(warnings.length).toBeGreaterThan(0);
    for (const warning of warnings)
      expect(warning).toMatch(/^images\.\w+: the original was too large for the archive$/);
    expect([definition.images.background, definition.images.thumbnail].every(Boolean)).toBe(true);
  });

  test('without an icon has the service’s icon, which is not imported again', async () => {
    const id = await client.createTemplate({ images: { icon: null } });
    const files = filesOf(await exported(client, id));
    expect(files.has('icon@2x.png')).toBe(true);
    const { definition } = await imported(client, archiveOf(withoutOwn(files)));
    expect(definition.images.icon).toBeNull();
  });

  test('adds an entry to the audit log, like an import', async () => {
    const own = await freshAccount();
    const id = await own.createTemplate({ name: 'Logged' });
    const { identifier } = await imported(own, await exported(own, id));
    await own.get(`/api/v2/pass-template/${crypto.randomUUID()}/export`);
    const entries = (await auditEntries(own.accountId)).map(({ action, target_id, target }) => [
      action,
      target_id,
      target,
    ]);
    expect(entries.filter(([action]) => action?.startsWith('template.'))).toEqual([
      ['template.create', id, 'Logged'],
      ['template.export', id, 'Logged'],
      ['template.create', identifier, 'Logged'],
    ]);
  });
});

describe('passkit-generator', () => {
  let certificates: { wwdr: Buffer; signerCert: Buffer; signerKey: Buffer };
  beforeAll(() => {
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2'];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/UID=pass.x/CN=x/OU=T', ...files];
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
    const [signerCert, signerKey] = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(folder, name))) as [
      Buffer,
      Buffer,
    ];
    certificates = { wwdr: signerCert, signerCert, signerKey };
  });

  async function passOf(archive: Uint8Array, name: string): Promise<Buffer> {
    writeFileSync(join(folder, 'model.zip'), archive);
    execFileSync('unzip', ['-q', 'model.zip', '-d', name], { cwd: folder });
    const [inner] = execFileSync('ls', [join(folder, name)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const ids = { serialNumber: '1', passTypeIdentifier: 'pass.x', teamIdentifier: 'T' };
    const pass = await PKPass.from({ model: join(folder, name, inner!), certificates }, ids);
    pass.setBarcodes('0815');
    return pass.getAsBuffer();
  }

  test.for([
    ['generic', sampleTemplate()],
    ['event', { type: 'eventTicket', relevantDate: '2031-08-21 20:00', apple: { semantics: { eventName: 'Derby' } } }],
    [
      'flight',
      { type: 'boardingPass', transitType: 'PKTransitTypeAir', expiration: { expirationDate: '2031-01-01 10:00' } },
    ],
    [
      'store card',
      { type: 'storeCard', locations: [{ latitude: 1, longitude: 2, relevantText: 'Near', maxDistance: 10 }] },
    ],
  ] as [string, Partial<TemplateInput>][])('makes a pass of the exported folder: %s', async ([name, template]) => {
    const id = await client.createTemplate({
      ...template,
      name,
      translationsEnabled: true,
      translations: { de: { Level: 'Stufe' } },
    });
    const archive = await exported(client, id);
    const files = unzip(await passOf(archive, name));
    expect([...files.keys()].filter(isOwn)).toEqual([]);
    expect([...files.keys()]).toEqual(expect.arrayContaining(['icon@2x.png', 'de.lproj/pass.strings', 'signature']));
    const [made, model] = [jsonIn(files, 'pass.json'), jsonIn(filesOf(archive), 'pass.json')];
    const { barcodes: _, ...design } = model;
    // The generator writes milliseconds.
    expect(JSON.parse(JSON.stringify(made).replaceAll('.000Z', 'Z'))).toMatchObject(design);
    // And back again, as a pass from another vendor.
    const { definition } = await imported(client, await passOf(archive, `${name} again`));
    expect(definition.fields.headerFields).toMatchObject([{ key: 'level', label: 'Level', value: '{Level}' }]);
  });
});

test('a file in a request without a length is accepted, up to the same limit', async () => {
  const chunked = async (bytes: Uint8Array) => {
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += MIB) controller.enqueue(bytes.slice(at, at + MIB));
        controller.close();
      },
    });
    const headers = { Authorization: client.apiKey, ...ZIP_TYPE };
    const url = new URL(IMPORT, inject('worker').origin);
    return (await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)).status;
  };
  expect(await chunked(archiveOf({ 'pass.json': couponJson() }))).toBe(201);
  expect(await chunked(new Uint8Array(11 * MIB))).toBe(413);
});
