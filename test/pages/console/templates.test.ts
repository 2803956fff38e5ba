import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { Location } from '../../../src/domain/fields.ts';
import { AdditionalProperty } from '../../../src/domain/templates/additional-properties.ts';
import { DefinitionShape } from '../../../src/domain/templates/definition.ts';
import { FieldItem } from '../../../src/domain/templates/field-lists.ts';
import { versionNumber } from '../../../src/domain/versions.ts';
import { type Client, freshAccount, type Reply, send } from '../../support/api.ts';
import { costOf, d1, runScheduled } from '../../support/control.ts';
import { SAMPLE_FLIGHT } from '../../support/samples.ts';
import { consolePath, OWN_FORM, type Visitor, visitor } from './browser-session.ts';
import { controlsOf, formOf, postForm } from './form-controls.ts';
import { wholeTemplate } from './whole-template.ts';

const FIRST_LOAD_BYTES_MAX = 100 * 1024;

let account: Client;
let editor: Visitor;
let png: Blob;
beforeAll(async () => {
  const blue = sharp({ create: { width: 120, height: 60, channels: 3, background: '#1d3557' } });
  png = new Blob([new Uint8Array(await blue.png().toBuffer())], { type: 'image/png' });
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  editor = await visitor(account, ['templates.edit', 'passes.edit']);
});

const templatesPath = (...parts: string[]) => consolePath(account, 'templates', ...parts);
const definitionOf = async (id: string) => (await account.get(`/api/v2/pass-template/${id}/describe`)).body.data;

/** Sends the client script's request, and returns the fragments. */
async function ask(path: string, fields: [string, string][], by = editor): Promise<Reply> {
  const body = new URLSearchParams(fields).toString();
  return send('POST', path as `/${string}`, body, { ...OWN_FORM, ...by.cookie, Accept: 'application/json' });
}

/** Returns the designer's fields as a browser would send them, with some changed. */
async function designer(id: string, changes: Record<string, string> = {}): Promise<[string, string][]> {
  return formOf((await editor.get(templatesPath(id))).body, 'designer', changes);
}

/** Returns the texts of findings by control name. */
function findingsIn(html: string): Record<string, string[]> {
  const lists = [...html.matchAll(/<ul class="findings" data-for="([^"]+)">(.*?)<\/ul>/gs)];
  const textOf = (item: string) =>
    item
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
  return Object.fromEntries(lists.map(([, name, items]) => [name!, items!.split('</li>').map(textOf).filter(Boolean)]));
}

describe('the list of templates', () => {
  test('says what to do if there are none, and draws each template', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['templates.edit']);
    const path = consolePath(own, 'templates');
    expect((await owner.get(path)).body).toContain('No templates yet');
    const id = await own.createTemplate({ name: 'Club <1>' });
    await own.createPass(id);
    const { body } = await owner.get(path);
    expect(body).toContain('Club &lt;1&gt;');
    expect(body).toMatch(/1 pass\b/);
    expect(body).toContain('>Published<');
    expect(body).toContain(`class="card card-${id} `);
    await own.patch(`/api/v2/pass-template/${id}`, { logoText: 'New' });
    expect((await owner.get(path)).body).toContain('>Draft changes<');
  });

  test('is paged, and searched by name', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['templates.edit']);
    const path = consolePath(own, 'templates');
    for (let i = 0; i < 26; i++) await own.createTemplate({ name: `Template ${String.fromCharCode(97 + i)}` });
    const first = await owner.get(path);
    const names = ({ body }: Reply) =>
      [...String(body).matchAll(/class="card-link"[^>]*>([^<]+)</g)].map(([, name]) => name);
    const next = /href="([^"]*before=[^"]*)" rel="next"/.exec(first.body)![1]!;
    const second = await owner.get(next);
    expect([...names(first), ...names(second)]).toEqual(
      Array.from({ length: 26 }, (_, i) => `Template ${String.fromCharCode(122 - i)}`),
    );
    expect(names(await owner.get(`${path}?q=E+Q`))).toEqual(['Template q']);
    const cost = await costOf(first);
    expect(cost.roundTrips).toBeLessThanOrEqual(3 + owner.apart);
    expect(cost.rowsRead).toBeLessThanOrEqual(25 * 4 + 10);
    expect(gzipSync(first.body).length).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  });
});

describe('a new template', () => {
  test.each(['eventTicket', 'storeCard', 'coupon', 'boardingPass', 'generic'])(
    'starts from %s, and creates passes',
    async (start) => {
      const reply = await editor.post(templatesPath(), { name: `From ${start}`, start });
      expect(reply.status).toBe(303);
      const path = reply.headers.get('Location')!;
      const opened = await editor.get(path);
      expect(opened.body).toContain(`>From ${start}</h1>`);
      const issued = await editor.post(`${path}/test-pass`);
      expect(issued.status).toBe(303);
      expect((await send('GET', issued.headers.get('Location') as `/${string}`)).status).toBe(200);
      // A second one violates no uniqueness rule.
      expect((await editor.post(`${path}/test-pass`)).status).toBe(303);
    },
  );

  test('keeps the input if it is rejected', async () => {
    const reply = await editor.post(templatesPath(), { name: ' ', start: 'coupon' });
    expect(reply.status).toBe(400);
    expect(reply.body).toContain('Name: must not be empty');
    expect(reply.body).toMatch(/value="coupon"[^>]*checked/);
  });

  test('omits an account logo that cannot be fetched, and reports it', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['templates.edit']);
    await d1('update accounts set logo_url = ? where id = ?', ['https://10.0.0.1/logo.png', own.accountId]);
    const reply = await owner.post(consolePath(own, 'templates'), { name: 'Plain', start: 'storeCard' });
    expect(reply.status).toBe(303);
    const page = await owner.get(reply.headers.get('Location')!);
    expect(page.body).toContain('The template was created without the account’s logo: the image could not be fetched.');
  });

  test('can be a copy of another', async () => {
    const id = await account.createTemplate({ name: 'Original' });
    expect((await editor.get(`${templatesPath(id)}/copy`)).body).toContain('Original (copy)');
    const reply = await editor.post(`${templatesPath(id)}/copy`, { name: 'The copy' });
    const copy = await definitionOf(reply.headers.get('Location')!.split('/').at(-1)!);
    const { identifier: _, name: __, ...original } = await definitionOf(id);
    expect(copy).toMatchObject({ ...original, name: 'The copy' });
  });
});

/** Names of controls that send nothing while unchecked. */
const checkboxes = (html: string) => [...html.matchAll(/type="checkbox" name="([^"]+)"/g)].map(([, name]) => name!);

describe('the designer', () => {
  test('shows all of a definition, so that saving it unchanged changes nothing', async () => {
    const id = await account.createTemplate(wholeTemplate(await account.createTemplate()));
    const before = await definitionOf(id);
    const saved = await editor.post(templatesPath(id), await designer(id));
    expect(saved.headers.get('Location')).toBe(`${templatesPath(id)}?part=general&saved=1`);
    expect(await definitionOf(id)).toEqual(before);
    expect(await d1('select version from templates where id = ?', [id])).toEqual([{ version: 1 }]);
  });

  test('has a control for each member of a definition, of a field and of a property', async () => {
    const id = await account.createTemplate(wholeTemplate(await account.createTemplate()));
    const names = new Set([
      ...(await designer(id)).map(([name]) => name),
      ...checkboxes((await editor.get(templatesPath(id))).body),
    ]);
    const missing = (prefix: string, shape: object) =>
      Object.keys(shape).filter((member) => ![...names].some((name) => `${name}.`.startsWith(`${prefix}${member}.`)));
    expect(missing('', DefinitionShape.shape)).toEqual([]);
    expect(missing('fields.headerFields.0.', FieldItem.shape)).toEqual([]);
    expect(missing('additionalProperties.0.', AdditionalProperty.shape)).toEqual([]);
    expect(missing('locations.0.', Location.shape)).toEqual([]);
  });

  test('saves a draft that new passes use and existing ones do not show yet', async () => {
    const id = await account.createTemplate();
    const saved = await editor.post(
      templatesPath(id),
      await designer(id, { 'colors.backgroundColor': '#ABC', logoText: 'Café' }),
    );
    expect(saved.status).toBe(303);
    expect(await definitionOf(id)).toMatchObject({ logoText: 'Café', colors: { backgroundColor: '#aabbcc' } });
    const { body } = await editor.get(saved.headers.get('Location')!);
    expect(body).toContain('>Draft changes<');
    expect(body).toContain('>Saved<');
  });

  test('shows an error at the control, keeps the input and saves nothing', async () => {
    const id = await account.createTemplate();
    const typed = { 'colors.labelColor': 'reddish', name: '', maxPasses: 'many', description: 'Kept <b>' };
    const reply = await editor.post(templatesPath(id), await designer(id, typed));
    expect(reply.status).toBe(400);
    const controls = controlsOf(reply.body, 'designer');
    expect(controls.get('colors.labelColor')).toBe('reddish');
    expect(controls.get('maxPasses')).toBe('many');
    expect(controls.get('description')).toBe('Kept <b>');
    expect(reply.body).toMatch(/id="colors.labelColor-error">must be a hexadecimal color/);
    expect(reply.body).toMatch(/id="maxPasses-error">must be a number/);
    expect(reply.body).toMatch(/id="name-error">must not be empty/);
    expect(await definitionOf(id)).toMatchObject({ name: 'Membership', description: 'Membership card' });
  });

  test('shows a default of another type at its control, and saves nothing', async () => {
    const id = await account.createTemplate({ additionalProperties: [{ name: 'Extra', type: 'number' }] });
    const reply = await editor.post(
      templatesPath(id),
      await designer(id, { 'additionalProperties.0.default': 'many' }),
    );
    expect(reply.status).toBe(400);
    expect(controlsOf(reply.body, 'designer').get('additionalProperties.0.default')).toBe('many');
    expect(reply.body).toMatch(/id="additionalProperties.0.default-error">must be a number/);
    expect((await definitionOf(id)).additionalProperties[0].default ?? null).toBeNull();
  });

  test('opens, draws and saves a template whose default is of another type since an earlier release', async () => {
    const id = await account.createTemplate({ additionalProperties: [{ name: 'Extra', type: 'number' }] });
    const stored = "json_set(definition, '$.additionalProperties[0].default', 'many')";
    await d1(`update template_versions set definition = ${stored} where template_id = ?`, [id]);
    const saved = await editor.post(templatesPath(id), await designer(id, { logoText: 'Café' }));
    expect(saved.status).toBe(303);
    const { logoText, additionalProperties } = await definitionOf(id);
    expect([logoText, additionalProperties[0].default]).toEqual(['Café', 'many']);
  });

  test('accepts Google-only members as JSON, draws them, and names errors in them', async () => {
    const id = await account.createTemplate();
    const item = { firstValue: { fields: [{ fieldPath: "object.textModulesData['hours']" }] } };
    const google = {
      textModulesData: [{ id: 'hours', header: 'Hours', body: 'Open for {Full name}' }],
      classTemplateInfo: { cardTemplateOverride: { cardRowTemplateInfos: [{ oneItem: { item } }] } },
      // Drawn without images that aren't stored yet, because a preview doesn't fetch them.
      wideLogo: 'https://images.example/logo.png',
    };
    const typed = { google: JSON.stringify(google), 'preview.look': 'google', 'additionalProperties.0.sample': 'Zoë' };
    const drawn = await ask(templatesPath(id), await designer(id, { ...typed, do: 'preview' }));
    expect(drawn.body.picture).toContain('<dd><bdi>Open for Zoë</bdi></dd>');
    const { wideLogo: _, ...saved } = google;
    expect((await editor.post(templatesPath(id), await designer(id, { google: JSON.stringify(saved) }))).status).toBe(
      303,
    );
    expect((await definitionOf(id)).google).toEqual(saved);
    for (const [text, wrong] of [
      ['{"venue": {"name": "Hall"}}', 'venue.address: '],
      ['{"venue"', 'must be an object'],
    ] as const) {
      const reply = await editor.post(templatesPath(id), await designer(id, { google: text }));
      expect([reply.status, controlsOf(reply.body, 'designer').get('google')]).toEqual([400, text]);
      expect(/id="google-error">([^<]*)/.exec(reply.body)![1]).toContain(wrong);
    }
    await editor.post(templatesPath(id), await designer(id, { google: '' }));
    expect(await definitionOf(id)).not.toHaveProperty('google');
  });

  test('reports a conflicting edit by another user, and keeps the input', async () => {
    const id = await account.createTemplate();
    const mine = await designer(id, { logoText: 'Mine' });
    await account.patch(`/api/v2/pass-template/${id}`, { logoText: 'Theirs' });
    const refused = await editor.post(templatesPath(id), mine);
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('Someone else saved this template');
    expect(refused.body).toMatch(/Logo text<\/th><td data-label="Theirs">.*?Theirs.*?Mine/s);
    expect((await definitionOf(id)).logoText).toBe('Theirs');
    expect(controlsOf(refused.body, 'designer').get('logoText')).toBe('Mine');
    const again = await editor.post(templatesPath(id), formOf(refused.body, 'designer'));
    expect(again.status).toBe(303);
    expect((await definitionOf(id)).logoText).toBe('Mine');
  });

  test('lets one of 50 simultaneous saves win', async () => {
    const id = await account.createTemplate();
    const base = await designer(id);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        ask(
          templatesPath(id),
          base.map(([name, value]) => [name, name === 'logoText' ? `Text ${i}` : value]),
        ),
      ),
    );
    const won = replies.flatMap(({ status, body }, i) =>
      status === 200 && versionNumber(body.saved ?? 0) === 2 ? [i] : [],
    );
    expect(won).toHaveLength(1);
    expect(replies.filter(({ status, body }) => status === 409 && body.conflict)).toHaveLength(49);
    expect((await definitionOf(id)).logoText).toBe(`Text ${won[0]}`);
  });

  test('adds, moves and removes items without a script or saving', async () => {
    const id = await account.createTemplate();
    const step = async (fields: [string, string][], command: string) =>
      formOf((await editor.post(templatesPath(id), [...fields, ['do', command]])).body, 'designer');
    let fields = await step(await designer(id), 'add:fields.headerFields');
    fields = fields.map(([name, value]) => [name, name === 'fields.headerFields.1.label' ? 'Row' : value]);
    fields = await step(fields, 'up:fields.headerFields.1');
    fields = await step(fields, 'add:links');
    fields = await step(fields, 'remove:links.0');
    fields = await step(fields, 'remove:fields.backFields.0');
    expect((await definitionOf(id)).fields.headerFields).toHaveLength(1);
    expect((await editor.post(templatesPath(id), fields)).status).toBe(303);
    const { headerFields, backFields } = (await definitionOf(id)).fields;
    expect(headerFields).toMatchObject([
      { index: 0, label: 'Row', key: 'header2' },
      { index: 1, label: 'Level', key: 'level' },
    ]);
    expect(backFields).toEqual([]);
  });

  test('draws the input like the download page, without saving it', async () => {
    const id = await account.createTemplate();
    const typed = {
      do: 'preview',
      'fields.primaryFields.0.value': 'Dear {Full name}',
      'additionalProperties.0.sample': 'Zoë',
    };
    const apple = await ask(templatesPath(id), await designer(id, typed));
    expect(apple.status).toBe(200);
    expect(apple.body.picture).toContain('<dd><bdi>Dear Zoë</bdi></dd>');
    expect(apple.body.css).toContain('--card-background:#1d3557');
    const google = await ask(templatesPath(id), await designer(id, { ...typed, 'preview.look': 'google' }));
    expect(google.body.picture).toContain('google-title"><bdi>Dear Zoë<');
    const voided = await ask(templatesPath(id), await designer(id, { ...typed, 'preview.state': 'voided' }));
    expect(voided.body.picture).toContain('>Voided<');
    const { barcodeValue } = await account.createPass(id, { 'Full name': 'Real Person' });
    const real = await ask(templatesPath(id), await designer(id, { ...typed, 'preview.pass': barcodeValue }));
    expect(real.body.picture).toContain('<dd><bdi>Dear Real Person</bdi></dd>');
    expect((await definitionOf(id)).fields.primaryFields[0].value).toBe('{Full name}');
    expect((await costOf(real)).roundTrips).toBeLessThanOrEqual(3 + editor.apart);
    expect((await costOf(real)).rowsWritten).toBe(0);
  });

  test('shows which tags a pass lacks for its template’s layout', async () => {
    const id = await account.createTemplate({
      type: 'boardingPass',
      transitType: 'PKTransitTypeAir',
      preferredStyleScheme: 'semanticBoardingPass',
    });
    const { barcodeValue } = await account.createPass(id, SAMPLE_FLIGHT);
    const asked = { do: 'preview', 'preview.look': 'semanticBoardingPass' };
    const sample = await ask(templatesPath(id), await designer(id, asked));
    expect(sample.body.picture).toContain('flight-front');
    expect(sample.body.choices).not.toContain('preview-unshown');
    const real = await ask(templatesPath(id), await designer(id, { ...asked, 'preview.pass': barcodeValue }));
    expect(real.body.picture).toContain('card-front boardingPass');
    expect(real.body.choices).toContain('<li>This pass has no originalArrivalDate.</li>');
    const page = await editor.get(`${templatesPath(id)}?look=semanticBoardingPass&scheme=dark&language=<x>`);
    expect(page.body).toMatch(/class="phone dark iphone".*flight-front/s);
    expect(page.body).not.toContain('<x>');
  });

  test.each<Record<string, string>>([
    { name: '', type: 'boardingPass' },
    { 'colors.backgroundColor': '#12', 'fields.headerFields.0.type': 'currency' },
    { 'additionalProperties.1.type': 'select', 'additionalProperties.0.name': 'Level' },
    { 'images.logo': 'https://elsewhere.example/logo.png', 'locations.0.latitude': '200' },
    {
      'preview.pass': 'nobody',
      'barcode.format': 'code128',
      'barcode.value': 'ö'.repeat(400),
      'customNumberRange.from': '9',
    },
    { 'fields.headerFields.0.__proto__.x': '1', '__proto__.polluted': 'yes', 'constructor.prototype.x': 'y' },
  ])('draws an incomplete definition: %o', async (changes) => {
    const id = await account.createTemplate();
    const reply = await ask(templatesPath(id), await designer(id, { ...changes, do: 'preview' }));
    expect(reply.status).toBe(200);
    expect(reply.body.picture).toContain(`card-${id}`);
  });

  test('shows findings for wallets next to the controls, and where a JSON is wrong', async () => {
    const id = await account.createTemplate();
    const asked = async (changes: Record<string, string>) =>
      (await ask(templatesPath(id), await designer(id, { ...changes, do: 'preview' }))).body;
    const typed = {
      sharingProhibited: 'true',
      apple: '{"bagPolicyURL": "https://x.example"}',
      google: '{"enableSmartTap": true, "redemptionIssuers": ["1"]}',
    };
    const findings = findingsIn((await asked(typed)).findings);
    expect(findings.sharingProhibited).toEqual([
      'Hint for Apple Wallet: hides the share button; it does not prevent copying. Source: Apple, walletpasses/pass',
    ]);
    expect(findings.apple).toEqual([
      'Warning for Apple Wallet: bagPolicyURL is left out: it affects only poster event tickets. Source: Apple, walletpasses/pass',
    ]);
    expect(findings.google).toEqual([
      expect.stringMatching(/^Error for Google Wallet: smartTapRedemptionValue: .* Source: Google, v1\/genericclass$/),
      expect.stringMatching(/^Hint for Google Wallet: enableSmartTap requires /),
    ]);
    const { body } = await editor.get(templatesPath(id));
    expect(body).toMatch(/<template id="designer-findings"><ul class="findings"/);
    expect(body).toContain('href="https://developer.apple.com/documentation/walletpasses/');
    expect((await asked({ ...typed, name: '' })).findings).toBe('');
    const { faults, errors } = await asked({ apple: '{"maxDistance": -1}', name: '' });
    expect(faults['apple.maxDistance']).toMatch(/^maxDistance: must be/);
    expect(errors['apple.maxDistance']).toMatch(/Error for Apple Wallet:.*maxDistance: must be.*walletpasses\/pass"/s);
    expect(errors.name).toBe('');
    expect((await asked({ apple: '{' })).faults.apple).toBe('must be an object');
  });

  test('treats passes of other templates and accounts as unknown', async () => {
    const id = await account.createTemplate();
    const other = await account.createPass(await account.createTemplate());
    const stranger = await freshAccount();
    const foreign = await stranger.createPass(await stranger.createTemplate());
    const fault = async (name: string) =>
      (await ask(templatesPath(id), await designer(id, { do: 'preview', 'preview.pass': name }))).body.faults[
        'preview.pass'
      ];
    expect(await fault(other.identifier)).toBe('belongs to another template. Enter a pass of this template');
    expect(await fault(foreign.identifier)).toBe('No pass found. Enter an identifier or external ID');
  });

  test('accepts an image by file and by address, and shows what is wrong with one', async () => {
    const id = await account.createTemplate();
    const take = async (fields: Record<string, string | Blob>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      return postForm(`${templatesPath(id)}/images`, form, editor.cookie);
    };
    const taken = await take({ role: 'logo', type: 'generic', file: png });
    expect(taken.status).toBe(200);
    expect(taken.body.url).toMatch(/\/images\/[0-9a-f]{64}$/);
    const saved = await editor.post(templatesPath(id), await designer(id, { 'images.logo': taken.body.url }));
    expect(saved.status).toBe(303);
    expect((await definitionOf(id)).images.logo).toBe(taken.body.url);
    const drawn = await ask(templatesPath(id), await designer(id, { do: 'preview' }));
    expect(drawn.body.picture).toContain(new URL(taken.body.url).pathname);
    const refused = await take({ role: 'logo', type: 'generic', file: new Blob(['no image']) });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('neither PNG nor JPEG')]);
    const local = await take({ role: 'logo', url: 'http://169.254.169.254/x.png' });
    expect(local.status).toBe(400);
    expect((await take({ role: 'mascot', url: '' })).status).toBe(400);
  });

  test('accepts files in the form of a browser without scripts', async () => {
    const id = await account.createTemplate();
    const form = new FormData();
    for (const [name, value] of await designer(id, { name: '' })) form.append(name, value);
    form.set('upload.icon', png, 'icon.png');
    const refused = await postForm(templatesPath(id), form, editor.cookie);
    expect(refused.status).toBe(400);
    const again = formOf(refused.body, 'designer', { name: 'With icon' });
    expect((await editor.post(templatesPath(id), again)).status).toBe(303);
    expect((await definitionOf(id)).images.icon).toMatch(/\/images\/[0-9a-f]{64}$/);
  });

  test('is small and cheap at first load', async () => {
    const id = await account.createTemplate(wholeTemplate(await account.createTemplate()));
    const { body, headers } = await editor.get(templatesPath(id));
    const files = [...String(body).matchAll(/(?:href|src)="(\/client\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files.some((path) => path.endsWith('.js'))).toBe(true);
    let bytes = gzipSync(body).length;
    for (const path of files) bytes += gzipSync((await send('GET', path as `/${string}`)).body).length;
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
    expect((await costOf({ headers })).roundTrips).toBeLessThanOrEqual(3 + editor.apart);
  });
});

describe('projects', () => {
  test('are listed newest first, page by page', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['owner']);
    const head = own.accountId.slice(0, -6);
    await d1(
      `insert into projects (id, account_id, name, created_at)
       with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < 120)
       select '${head}' || (100000 + value), ?, 'Project ' || value || ';', value from numbers`,
      [own.accountId],
    );
    const shown: number[][] = [];
    let address: string | undefined = consolePath(own, 'templates', 'projects');
    while (address !== undefined) {
      const { body }: { body: string } = await owner.get(address);
      shown.push([...body.matchAll(/<th scope="row">Project (\d+);/g)].map(([, number]) => Number(number)));
      address = /href="([^"]*before=[^"]+)"/.exec(body)?.[1];
    }
    expect(shown.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(shown.flat()).toEqual(Array.from({ length: 120 }, (_, i) => 120 - i));
  });

  test('are created, rejected without a name, and selected in a template', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['templates.edit']);
    const path = consolePath(own, 'templates', 'projects');
    expect((await owner.get(path)).body).toContain('No projects yet');
    expect((await owner.post(path, { name: ' ' })).status).toBe(400);
    expect((await owner.post(path, { name: 'Cards' })).status).toBe(303);
    const [{ id }] = (await d1('select id from projects where account_id = ?', [own.accountId])) as [{ id: string }];
    const template = await own.createTemplate();
    const page = consolePath(own, 'templates', template);
    await owner.post(page, formOf((await owner.get(page)).body, 'designer', { projectId: id }));
    expect((await owner.get(consolePath(own, 'templates'))).body).toContain('0 passes · Cards');
    const reader = await visitor(own, ['read']);
    expect((await reader.post(path, { name: 'Mine' })).status).toBe(403);
  });

  test('are renamed by members who can edit templates', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['templates.edit']);
    const id = (await own.post('/api/v3/project', { name: 'Summer' })).body.data.identifier;
    const path = consolePath(own, 'templates', 'projects', id);
    expect((await owner.get(consolePath(own, 'templates', 'projects'))).body).toContain(`href="${path}"`);
    expect((await owner.get(path)).body).toContain('value="Summer"');
    expect((await owner.post(path, { name: 'Winter <2>' })).status).toBe(303);
    expect((await own.get('/api/v3/project')).body.data).toEqual([{ identifier: id, name: 'Winter <2>' }]);
    for (const name of ['', 'x'.repeat(501)]) {
      const refused = await owner.post(path, { name });
      expect([refused.status, refused.body.includes('Name: must ')]).toEqual([400, true]);
      expect(refused.body).toMatch(/<input[^>]*aria-invalid="true"[^>]*>.*id="name-error">must /s);
    }
    const reader = await visitor(own, ['read']);
    expect([(await reader.get(path)).status, (await reader.post(path, { name: 'Mine' })).status]).toEqual([403, 403]);
    const other = await freshAccount();
    const stranger = await visitor(other, ['owner']);
    for (const address of [path, consolePath(other, 'templates', 'projects', id)]) {
      expect((await stranger.post(address, { name: 'Theirs' })).status).toBe(404);
    }
    expect((await own.get('/api/v3/project')).body.data[0].name).toBe('Winter <2>');
  });
});

describe('publication', () => {
  test('shows what changes and how many passes it reaches, and publishes exactly that', async () => {
    const id = await account.createTemplate();
    const { linkToPassPage } = await account.createPass(id);
    await account.createPass(id);
    const path = `${templatesPath(id)}/publish`;
    expect((await editor.get(path)).body).toContain('No unpublished changes');
    await account.patch(`/api/v2/pass-template/${id}`, {
      logoText: 'Renewed',
      downloadPinEnabled: true,
      fields: { headerFields: [{ index: 0, label: 'Tier' }] },
    });
    const review = await editor.get(path);
    expect(review.body).toContain('Updates all 2 passes');
    expect(review.body).toMatch(/Header · Level · Label<\/th>.*?Level.*?Tier/s);
    expect(review.body).toMatch(/Logo text<\/th>.*?Nothing.*?Renewed/s);
    expect(review.body).toMatch(/Download PIN<\/th><td[^>]*><del>No<\/del><\/td><td[^>]*><ins>Yes</s);
    expect((await costOf(review)).roundTrips).toBeLessThanOrEqual(3 + editor.apart);
    const form = formOf(review.body, 'publish', { when: 'now' });
    await account.patch(`/api/v2/pass-template/${id}`, { logoText: 'Sneaked in' });
    const stale = await editor.post(path, form);
    expect([stale.status, stale.body.includes('review the changes again')]).toEqual([400, true]);
    expect((await send('GET', linkToPassPage as `http://${string}`)).body).not.toContain('Sneaked in');
    const done = await editor.post(path, formOf(stale.body, 'publish', { when: 'now' }));
    expect(done.headers.get('Location')).toBe(`${path}?published`);
    expect((await send('GET', linkToPassPage as `http://${string}`)).body).toContain('Sneaked in');
  });

  test('is scheduled for a date, moved and canceled', async () => {
    const id = await account.createTemplate();
    await account.patch(`/api/v2/pass-template/${id}`, { logoText: 'Later' });
    const path = `${templatesPath(id)}/publish`;
    const publish = async (date: string) =>
      editor.post(path, formOf((await editor.get(path)).body, 'publish', { when: 'later', date }));
    expect((await publish('2030-02-30T10:00')).body).toContain('is a date that does not exist');
    expect((await publish('2030-05-01T10:00')).status).toBe(303);
    expect((await publish('2030-06-01T10:00')).status).toBe(303);
    expect((await editor.get(path)).body).toContain('datetime="2030-06-01T08:00:00.000Z"');
    expect((await editor.get(templatesPath(id))).body).toContain('Publishes ');
    expect((await editor.post(`${path}/cancel`)).status).toBe(303);
    expect((await editor.get(path)).body).not.toContain('2030-06-01');
  });
});

describe('the calendar', () => {
  test('schedules pushes, lists them by month and deletes what is not executed', async () => {
    const id = await account.createTemplate();
    const path = `${templatesPath(id)}/notifications`;
    const scheduled = await editor.post(path, { text: 'Doors open <soon>', date: '2031-03-31T23:30' });
    expect(scheduled.headers.get('Location')).toBe(`${path}?month=2031-03`);
    const march = await editor.get(`${path}?month=2031-03`);
    expect(march.body).toContain('Doors open &lt;soon&gt;');
    expect(march.body).toContain('datetime="2031-03-31T21:30:00.000Z"');
    expect((await costOf(march)).roundTrips).toBeLessThanOrEqual(3 + editor.apart);
    const april = await editor.get(`${path}?month=2031-04`);
    expect(april.body).toContain('No notifications in April 2031');
    expect(april.body).toContain('?month=2031-03">← Previous');
    const confirm = /href="([^"]+\/delete)"[^>]*aria-label="Delete: Doors/.exec(march.body)![1]!;
    expect((await editor.get(confirm)).body).toContain('<blockquote>Doors open &lt;soon&gt;');
    await editor.post(confirm);
    expect((await editor.get(`${path}?month=2031-03`)).body).not.toContain('Doors open');
    expect((await editor.post(confirm)).status).toBe(404);
  });

  test('does not delete executed pushes, and keeps invalid input', async () => {
    const id = await account.createTemplate();
    const path = `${templatesPath(id)}/notifications`;
    const typed = await editor.post(path, { text: 'Kept text', date: '' });
    expect([typed.status, typed.body.includes('Kept text'), typed.body.includes('Date and time: ')]).toEqual([
      400,
      true,
      true,
    ]);
    await editor.post(path, { text: 'Past', date: '2020-01-01T10:00' });
    const [row] = await d1<{ id: string }>('select id from notifications where template_id = ?', [id]);
    await runScheduled();
    const refused = await editor.post(`${path}/${row!.id}/delete`);
    expect([refused.status, refused.body.includes('already executed')]).toEqual([400, true]);
    expect((await editor.get(`${path}?month=2020-01`)).body).toContain('>Sent<');
  });

  test('is paged', async () => {
    const id = await account.createTemplate();
    const path = `${templatesPath(id)}/notifications?month=2032-07`;
    const at = Date.UTC(2032, 6, 15);
    await d1(
      `insert into notifications (id, account_id, template_id, publication_at, text, state, created_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 130)
       select printf('0198f000-%04x-7000-8000-000000000000', i), ?, ?, ?, 'no. ' || i || '.', case when i % 2 then 'scheduled' else 'executed' end, 0 from n`,
      [account.accountId, id, at],
    );
    const shown = ({ body }: Reply) => String(body).match(/data-label="Notification">no\. \d+\./g) ?? [];
    const first = await editor.get(path);
    const second = await editor.get(
      /href="([^"]*after=[^"]*)" rel="next"/.exec(first.body)![1]!.replaceAll('&amp;', '&'),
    );
    expect(new Set([...shown(first), ...shown(second)]).size).toBe(130);
    expect(shown(first)).toHaveLength(100);
  });
});

describe('deleting a template', () => {
  test('shows what is deleted with it, asks, and deletes it', async () => {
    const id = await account.createTemplate({ name: 'Doomed' });
    const { linkToPassPage } = await account.createPass(id);
    const asked = await editor.get(`${templatesPath(id)}/delete`);
    expect(asked.body).toContain('Its pass is deleted, too');
    const done = await editor.post(`${templatesPath(id)}/delete`, { name: 'Doomed' });
    expect(done.headers.get('Location')).toBe(`${templatesPath()}?deleted`);
    expect((await editor.get(templatesPath(id))).status).toBe(404);
    expect((await send('GET', linkToPassPage as `http://${string}`)).status).toBe(404);
  });
});

describe('who may do what', () => {
  test('lets members without the privilege only read', async () => {
    const id = await account.createTemplate();
    const before = await definitionOf(id);
    const reader = await visitor(account, ['read']);
    const path = templatesPath(id);
    const { body } = await reader.get(path);
    expect(body).toMatch(/<fieldset class="parts" disabled/);
    for (const button of ['>Save<', 'Create test pass', 'Delete template']) expect(body).not.toContain(button);
    expect((await reader.get(templatesPath())).body).not.toContain('Create template');
    const preview = await ask(
      path,
      [
        ['do', 'preview'],
        ['preview.look', 'google'],
      ],
      reader,
    );
    expect([preview.status, preview.body.picture.includes('google-front')]).toEqual([200, true]);
    const posts = [
      '',
      '/delete',
      '/copy',
      '/test-pass',
      '/publish',
      '/publish/cancel',
      '/notifications',
      '/images',
      `/notifications/${id}/delete`,
    ];
    for (const post of posts) expect((await reader.post(path + post, { name: 'x' })).status, post).toBe(403);
    for (const page of ['/delete', '/copy']) expect((await reader.get(path + page)).status).toBe(403);
    expect((await reader.get(templatesPath('new'))).status).toBe(403);
    expect((await reader.post(templatesPath(), { name: 'Mine' })).status).toBe(403);
    expect(await definitionOf(id)).toEqual(before);
  });

  test('finds no template of another account', async () => {
    const id = await account.createTemplate();
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    const path = `${consolePath(stranger, 'templates')}/${id}`;
    for (const page of ['', '/publish', '/notifications', '/api', '/copy', '/delete']) {
      expect((await other.get(path + page)).status, page).toBe(404);
    }
    const fields = await designer(id, { name: 'Stolen' });
    expect((await other.post(path, fields)).status).toBe(404);
    for (const post of ['/delete', '/copy', '/test-pass', '/publish', '/publish/cancel', '/images']) {
      expect((await other.post(path + post, { name: 'x', version: '1', role: 'logo' })).status, post).toBe(404);
    }
    const pushed = await other.post(`${path}/notifications`, { text: 'x', date: '2031-01-01T10:00' });
    expect(pushed.status).toBe(404);
    expect((await definitionOf(id)).name).toBe('Membership');
  });

  test('is logged', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['owner']);
    const reply = await owner.post(consolePath(own, 'templates'), { name: 'Noted', start: 'coupon' });
    const path = reply.headers.get('Location')!;
    const { body } = await owner.get(path);
    await owner.post(path, formOf(body, 'designer', { logoText: 'x' }));
    await owner.post(`${path}/publish`, formOf((await owner.get(`${path}/publish`)).body, 'publish', { when: 'now' }));
    await owner.post(`${path}/delete`, { name: 'Noted' });
    const rows = await d1<{ action: string; outcome: string }>(
      "select action, outcome from audit_entries where account_id = ? and action like 'template.%' order by id",
      [own.accountId],
    );
    expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'template.create done',
      'template.update done',
      'template.publish done',
      'template.delete done',
    ]);
  });
});
