import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { rotateSigningKey } from '../../../src/domain/signing-keys/rotate-signing-key.ts';
import { listSigningKeys } from '../../../src/domain/signing-keys/signer.ts';
import { createTemplate } from '../../../src/domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { checkSignature } from '../../../src/pages/scanner/client/page/signed-code.ts';
import { sampleTemplate } from '../../support/samples.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
let ctx: AccountContext;
let templateId: string;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = await database.accountContext();
  templateId = await template('T-{userProvidedId}.{sign()}');
});
afterAll(() => database.close());

async function template(value: string) {
  const definition = TemplateDefinition.parse(sampleTemplate({ barcode: { value } }));
  return (await createTemplate(ctx, definition)).identifier;
}

async function newCode(userProvidedId: string, id = templateId): Promise<string> {
  return (await createPass(ctx, id, { userProvidedId }, { wait: true })).pass.barcodeValue;
}

/** Returns the keys like the scanner app gets them. */
async function publicKeys(of = ctx): Promise<string[]> {
  return (await listSigningKeys(of)).map(({ publicKeyPem }) => publicKeyPem.replace(/-----.*?-----|\s/g, ''));
}

describe('a barcode value that ends in {sign()}', () => {
  test('is signed over the text before it, which the scanner app can check', async () => {
    const code = await newCode('7');
    expect(code).toMatch(/^T-7\.30[0-9a-f]+$/);
    expect(await checkSignature(code, await publicKeys())).toBe('genuine');
  });

  test('works for many texts, whatever digits precede the signature', async () => {
    const keys = await publicKeys();
    const id = await template('{userProvidedId}{sign()}');
    for (let number = 0; number < 25; number++) {
      expect(await checkSignature(await newCode(number.toString(16), id), keys)).toBe('genuine');
    }
  });

  test('stays genuine after the key was rotated, and with a one-time code after it', async () => {
    const before = await newCode('8');
    await rotateSigningKey(ctx);
    // A new request, because a request reads the key once.
    ctx = { ...ctx };
    const keys = await publicKeys();
    const after = await newCode('8');
    expect(after).not.toBe(before);
    expect(await Promise.all([before, after, `${after}.123456`].map((code) => checkSignature(code, keys)))).toEqual([
      'genuine',
      'genuine',
      'genuine',
    ]);
  });

  test.each([
    ['another text', (code: string) => code.replace('T-9', 'T-1')],
    ['another signature', (code: string) => code.slice(0, -1) + (code.endsWith('0') ? '1' : '0')],
    ['another one-time code does not help', (code: string) => `${code.replace('T-9', 'T-1')}.123456`],
  ])('is forged with %s', async (_, forge) => {
    expect(await checkSignature(forge(await newCode('9')), await publicKeys())).toBe('forged');
  });

  test('is forged for another account, and for one without keys', async () => {
    const code = await newCode('10');
    expect(await checkSignature(code, await publicKeys(await database.accountContext()))).toBe('forged');
    expect(await checkSignature(code, [])).toBe('forged');
  });
});

test.each(['TICKET-1', '', '30', '3006020101020101', 'T.30060201010201', '0123456789abcdef0123456789abcdef'])(
  'the code "%s" has no signature',
  async (code) => {
    expect(await checkSignature(code, await publicKeys())).toBe('none');
  },
);
