import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, type CreatedPass, freshAccount, type Reply, send } from '../../support/api.ts';
import { costOf, linkTokens } from '../../support/control.ts';
import { unzip } from '../../wallets/apple/tools.ts';

type Path = `/${string}`;

const IPHONE = { 'User-Agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) Safari/604.1' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const PIN = '47 Eleven';
/** The limit of `ATTEMPT_RATE_LIMITER` in `wrangler.toml`. */
const GUESSES = 30;

let client: Client;
let templateId: string;
let guardedTemplateId: string;

const BACK = { key: 'link', label: 'Your page', value: '{downloadPage}' };

beforeAll(async () => {
  client = await freshAccount();
  const fields = { backFields: [BACK] };
  const links = [{ label: 'Open', url: 'https://example.org/?to={downloadPage}' }];
  const translations = { de: { 'Membership card': 'Mitgliedskarte' } };
  templateId = await client.createTemplate({ fields, links, translationsEnabled: true, translations });
  guardedTemplateId = await client.createTemplate({ fields, downloadPinEnabled: true });
});

const secretsOf = ({ identifier }: { identifier: string }) => linkTokens(identifier);

/** Fails if a reply's body or headers reveal a pass's secret. */
async function expectNoSecrets(reply: Reply, ...passes: { identifier: string }[]): Promise<void> {
  const text = `${reply.body}\n${JSON.stringify([...reply.headers])}`;
  const [, jwt = ''] = /\/save\/([\w.-]+)/.exec(text) ?? [];
  const told = `${text}\n${Buffer.from(jwt.split('.')[1] ?? '', 'base64url')}`;
  for (const pass of passes) {
    for (const secret of Object.values(await secretsOf(pass))) if (secret) expect(told).not.toContain(secret);
  }
}

/** Returns all addresses of this origin on a page. */
function addressesIn({ body }: Reply): Path[] {
  const named = [...String(body).matchAll(/(?:href|src|action)="(\/[^"]+)"/g)].map(([, path]) => path as Path);
  return [...new Set(named)].filter((path) => !path.startsWith('/client/') && !path.startsWith('/images/'));
}

const named = (fields: Record<string, unknown> = {}, template = templateId): Promise<CreatedPass> =>
  client.createPass(template, { userProvidedId: `order-${crypto.randomUUID()}`, 'Full name': 'Ada', ...fields });

async function userPath({ identifier }: { identifier: string }): Promise<Path> {
  const { userProvidedId } = (await client.get(`/api/v3/pass/${identifier}`)).body.data;
  return `/p/${client.accountId}/${encodeURIComponent(userProvidedId)}`;
}

describe.each([
  ['userProvidedId', userPath],
  ['identifier', async ({ identifier }: { identifier: string }): Promise<Path> => `/p/${identifier}`],
])('a pass’s page by its %s', (_, pathOf) => {
  test('contains its own address and those below it, and no secret', async () => {
    const pass = await named();
    const path = await pathOf(pass);
    for (const address of [path, `/de${path}`, `${path}?print`] as const) {
      const page = await send('GET', address);
      expect(page.status, address).toBe(200);
      expect(page.headers.get('X-Robots-Tag')).toContain('noindex');
      await expectNoSecrets(page, pass);
      expect(page.body).toContain(path);
      for (const link of addressesIn(page)) expect(link).toMatch(new RegExp(`^(/[a-z]{2})?${path}([/?]|$)`));
    }
  });

  test('works to the last link', async () => {
    const pass = await named();
    const path = await pathOf(pass);
    const page = await send('GET', path);
    expect(addressesIn(page)).toEqual(
      expect.arrayContaining([`${path}/barcode.svg`, `${path}/pass.pkpass`, `${path}/save`, `${path}?print`]),
    );
    expect((await send('GET', `${path}/barcode.svg`)).headers.get('Content-Type')).toBe('image/svg+xml');
    expect((await send('GET', `${path}/barcode.png`)).headers.get('Content-Type')).toBe('image/png');
    const save = await send('GET', `${path}/save`);
    expect(save.status).toBe(303);
    expect(save.headers.get('Location')).toMatch(/^https:\/\/pay\.google\.com\/gp\/v\/save\//);
    await expectNoSecrets(save, pass);
    expect((await send('POST', `${path}?print`, '', FORM)).headers.get('Location')).toBe(`${path}?print`);
  });

  test('serves the same pass file as every other link', async () => {
    const pass = await named();
    const files = [
      await send('GET', `${await pathOf(pass)}/pass.pkpass`),
      await send('GET', pass.linkToPassFile as Path),
    ];
    const texts = files.map(({ body }) => unzip(body).get('pass.json')!.toString());
    expect(texts[0]).toBe(texts[1]);
    expect(JSON.parse(texts[0]!).authenticationToken).toBe((await secretsOf(pass)).authentication);
  });

  test('protects everything with the PIN, and sets a proof that does not name the pass', async () => {
    const pass = await named({ downloadPin: PIN }, guardedTemplateId);
    const path = await pathOf(pass);
    for (const below of ['/pass.pkpass', '/save'] as const) {
      expect((await send('GET', `${path}${below}`)).headers.get('Location')).toBe(path);
    }
    expect((await send('GET', `${path}/barcode.svg`)).status).toBe(404);
    const entered = await send('POST', path, `pin=${encodeURIComponent(PIN)}`, FORM);
    expect([entered.status, entered.headers.get('Location')]).toEqual([303, path]);
    const cookie = entered.headers.getSetCookie()[0]!;
    expect(cookie).not.toContain(pass.identifier);
    await expectNoSecrets(entered, pass);
    const headers = { Cookie: cookie.split(';')[0]! };
    const page = await send('GET', path, undefined, headers);
    expect(page.body).toContain('class="card ');
    await expectNoSecrets(page, pass);
    expect((await send('GET', `${path}/save`, undefined, headers)).headers.get('Location')).toContain('pay.google');
  });

  test('shows its bundle, all below the one address', async () => {
    const [one, two] = [await named(), await client.createPass(guardedTemplateId, { downloadPin: PIN })];
    await client.post('/api/v2/pass-bundle', { passes: [one.identifier, two.identifier] });
    const path = await pathOf(one);
    const page = await send('GET', path);
    expect(page.body).toContain('<h1>Your passes</h1>');
    await expectNoSecrets(page, one, two);
    const links = addressesIn(page);
    expect(links).toContain(`${path}/passes.pkpasses`);
    for (const link of links) expect(link).toMatch(new RegExp(`^(/[a-z]{2})?${path}([/?]|$)`));
    const alone = links.filter((link) => /^\/p.*\/m\/[0-9a-f]{32}$/.test(link));
    expect(alone).toHaveLength(2);
    const shown = await send('GET', alone[0]!);
    expect(shown.body).toContain('class="card ');
    await expectNoSecrets(shown, one, two);
    expect((await send('GET', `${alone[0]!}/pass.pkpass`)).headers.get('Content-Type')).toContain('pkpass');
    const opened = await send('POST', alone[1]!, `pin=${encodeURIComponent(PIN)}`, FORM);
    const headers = { Cookie: opened.headers.getSetCookie()[0]!.split(';')[0]! };
    expect((await send('GET', alone[1]!, undefined, headers)).body).toContain('class="card ');
    await expectNoSecrets(await send('GET', path, undefined, headers), one, two);
    expect([...unzip((await send('GET', `${path}/passes.pkpasses`)).body)]).toHaveLength(1);
    await expectNoSecrets(await send('GET', `${path}/save`), one, two);
    expect((await send('GET', `${path}/m/${'0'.repeat(32)}`)).status).toBe(404);
  });
});

describe('the page by userProvidedId', () => {
  test('does not even reveal the identifier, which opens another page', async () => {
    const pass = await named();
    const page = await send('GET', await userPath(pass), undefined, IPHONE);
    expect(`${page.body}${JSON.stringify([...page.headers])}`).not.toContain(pass.identifier);
  });

  test('works for every name, even one that looks like a file below another page', async () => {
    for (const userProvidedId of ['save', 'barcode.svg', 'pass.pkpass', 'm', 'a/b']) {
      await client.createPass(templateId, { userProvidedId });
      const path: Path = `/p/${client.accountId}/${encodeURIComponent(userProvidedId)}`;
      const page = await send('GET', path);
      expect(page.status, userProvidedId).toBe(200);
      expect((await send('GET', `${path}/barcode.svg`)).status, userProvidedId).toBe(200);
    }
  });

  test('ends with all addresses below it if the account disables such pages', async () => {
    const account = await freshAccount();
    const pass = await account.createPass(await account.createTemplate(), { userProvidedId: 'guess-me' });
    const path: Path = `/p/${account.accountId}/guess-me`;
    const links = addressesIn(await send('GET', path));
    expect(links.length).toBeGreaterThan(2);
    await admin('account update', { id: account.accountId, 'user-provided-links': 'off' });
    for (const link of [path, `/de${path}` as Path, `${path}/barcode.png` as Path, ...links]) {
      expect((await send('GET', link)).status, link).toBe(404);
      expect((await send('POST', link, '', FORM)).status, link).toBe(404);
    }
    expect((await send('GET', new URL(pass.linkToPassPage).pathname as Path)).status).toBe(200);
  });

  test('costs no more than the page with the secret', async () => {
    const pass = await named();
    const byUser = await costOf(await send('GET', await userPath(pass)));
    const bySecret = await costOf(await send('GET', new URL(pass.linkToPassPage).pathname as Path));
    expect(byUser.roundTrips).toBeLessThanOrEqual(bySecret.roundTrips);
  });
});

/** Returns a new network for each test (RFC 5737, RFC 3849). */
const network = () => `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}`;
const from = (address: string) => ({ 'CF-Connecting-IP': address });

describe('guessing', () => {
  test('is blocked after a number of unknown names, even for a right one, by network', async () => {
    const path = await userPath(await named());
    const [mine, other] = [network(), network()];
    const guess = (address: Path, at = `${mine}::${randomInt(65_536).toString(16)}`) =>
      send('GET', address, undefined, from(at));
    const unknown = (): Path => `/p/${client.accountId}/order-${crypto.randomUUID()}`;
    for (let i = 0; i < GUESSES; i++) expect((await guess(unknown())).status).toBe(404);
    const refused = await guess(unknown());
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
    expect(refused.body).toContain('<h1>Too many requests</h1>');
    const right = await guess(path);
    expect([right.status, right.headers.get('Retry-After')]).toEqual([429, '60']);
    expect((await guess(`${path}/pass.pkpass`)).status).toBe(429);
    expect((await guess(path, `${other}::1`)).status).toBe(200);
  });

  test('does not block secret links, which nobody guesses', async () => {
    const pass = await named();
    const at = from(`${network()}::1`);
    for (let i = 0; i <= GUESSES; i++) await send('GET', `/p/${client.accountId}/nobody`, undefined, at);
    expect((await send('GET', new URL(pass.linkToPassPage).pathname as Path, undefined, at)).status).toBe(200);
    expect((await send('GET', `/p/${pass.identifier}`, undefined, at)).status).toBe(200);
  });

  test('does not include links of deleted passes', async () => {
    const path = await userPath(await named());
    const at = from(`${network()}::1`);
    const unknown = [`/p/${'x'.repeat(25)}`, `/p/${crypto.randomUUID()}`, '/p/no-account/order-1', '/p/a/b/c'] as const;
    for (let i = 0; i <= GUESSES; i++) expect((await send('GET', unknown[i % 4]!, undefined, at)).status).toBe(404);
    expect((await send('GET', path, undefined, at)).status).toBe(200);
  });

  test('counts wrong PINs of all passes', async () => {
    const at = from(`${network()}::1`);
    const enter = (pass: CreatedPass, pin: string) =>
      send('POST', new URL(pass.linkToPassPage).pathname as Path, `pin=${encodeURIComponent(pin)}`, { ...FORM, ...at });
    const statuses: number[] = [];
    for (let i = 0; statuses.length <= GUESSES; i++) {
      const pass = await named({ downloadPin: PIN }, guardedTemplateId);
      for (let j = 0; j < 4; j++) statuses.push((await enter(pass, `wrong-${i}-${j}`)).status);
    }
    expect(statuses.slice(0, GUESSES)).toEqual(Array(GUESSES).fill(403));
    const fresh = await named({ downloadPin: PIN }, guardedTemplateId);
    expect((await enter(fresh, PIN)).status).toBe(429);
    const elsewhere = { ...FORM, ...from(`${network()}::1`) };
    const right = `pin=${encodeURIComponent(PIN)}`;
    expect((await send('POST', new URL(fresh.linkToPassPage).pathname as Path, right, elsewhere)).status).toBe(303);
  });
});
