import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { getDefinedPass } from '../../../src/domain/passes/find-pass.ts';
import { codeAt, rotatingKey, withRotatingKey } from '../../../src/domain/passes/page/rotating-key.ts';
import { rotateLinks } from '../../../src/domain/passes/update-pass.ts';
import { createTemplate } from '../../../src/domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { sampleTemplate } from '../../support/samples.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const ROTATING = { periodSeconds: 30, digits: 6, apple: 'none' } as const;

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

async function newPass(rotating?: object) {
  const barcode = { format: 'qr', rotating } as never;
  const { identifier } = await createTemplate(ctx, TemplateDefinition.parse(sampleTemplate({ barcode })));
  return (await createPass(ctx, identifier, {}, { wait: true })).pass;
}

const keyOf = async (id: string) => rotatingKey(ctx.env, (await getDefinedPass(ctx, id)).pass);

test('each pass has its own key of 20 bytes, encrypted with the secrets of its links', async () => {
  const [one, other] = [await newPass(ROTATING), await newPass(ROTATING)];
  const keys = [await keyOf(one.id), await keyOf(other.id)];
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/), expect.stringMatching(/^[0-9a-f]{40}$/)]);
  expect(keys[0]).not.toBe(keys[1]);
  expect(JSON.stringify(one)).not.toContain(Buffer.from(keys[0]!, 'hex').toString('base64url'));
});

test('a pass whose code doesn’t rotate has none, and needs no more bytes', async () => {
  const pass = await newPass();
  expect(await keyOf(pass.id)).toBeUndefined();
  expect(pass.secrets!.length).toBeLessThanOrEqual((await newPass(ROTATING)).secrets!.length);
});

test('new links do not change the key', async () => {
  const { id } = await newPass(ROTATING);
  const before = await keyOf(id);
  await rotateLinks(ctx, id);
  expect([before, await keyOf(id)]).toEqual([before, before]);
});

test('a pass from an earlier release gets one key, even if several request it at once', async () => {
  const { pass, definition } = await getDefinedPass(ctx, (await newPass()).id);
  const rotates = { ...definition, barcode: { ...definition.barcode, rotating: ROTATING } };
  const keyed = await Promise.all(Array.from({ length: 10 }, () => withRotatingKey(ctx, pass, rotates)));
  const key = await keyOf(pass.id);
  expect(key).toMatch(/^[0-9a-f]{40}$/);
  expect(new Set(keyed.map((one) => rotatingKey(ctx.env, one)))).toEqual(new Set([key]));
});

test('a card without access to the key has no code', () => {
  const barcode = { format: 'qr', value: 'A', alternativeText: '' } as const;
  expect(codeAt(barcode, 0)).toBe('A');
  expect(codeAt({ ...barcode, rotating: ROTATING }, 0)).toBe('');
  const key = Buffer.from('12345678901234567890').toString('hex');
  expect(codeAt({ ...barcode, rotating: { ...ROTATING, digits: 8, key } }, 59_000)).toBe('A.94287082');
});
