import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  isAuthentication,
  keepTokens,
  newRotatingKey,
  newTokens,
  openTokens,
  shortDigestOf,
} from '../../../../src/domain/passes/page/links.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { shardOfToken } from '../../../../src/platform/shard-tokens.ts';

const keys = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
const SHARD = 0x1234;
/** More passes than an isolate remembers. */
const MANY = 2_000;

describe('the tokens of a pass', () => {
  test('are derived from one encrypted seed, and name the shard like links', () => {
    const id = uuidv7(SHARD);
    const kept = newTokens(keys, id, false);
    const tokens = openTokens(keys, { id, ...kept });
    expect(tokens).toEqual({
      page: expect.stringMatching(/^[\w-]{25}$/),
      file: expect.stringMatching(/^[\w-]{25}$/),
      authentication: expect.stringMatching(/^[\w-]{22}$/),
      rotating: undefined,
    });
    expect([shardOfToken(tokens.page), shardOfToken(tokens.file)]).toEqual([SHARD, SHARD]);
    const secrets = [tokens.page.slice(3), tokens.file.slice(3), tokens.authentication];
    expect(new Set(secrets).size).toBe(3);
    expect(kept).toMatchObject({
      pageToken: shortDigestOf(tokens.page),
      fileToken: shortDigestOf(tokens.file),
      authenticationToken: '',
    });
    expect(kept.secrets!.length).toBeLessThanOrEqual(76);
  });

  test('are the same when they are decrypted again', () => {
    const id = uuidv7(SHARD);
    const pass = { id, ...newTokens(keys, id, true) };
    const tokens = openTokens(keys, pass);
    for (let i = 0; i < MANY; i++) newTokens(keys, uuidv7(), false);
    expect(() => openTokens({ ENCRYPTION_KEY: randomBytes(32).toString('base64') }, pass)).toThrow();
    expect(openTokens(keys, pass)).toEqual(tokens);
  });

  test('differ in each pass, and for each attempt to create one', () => {
    const id = uuidv7();
    const made = Array.from({ length: 100 }, () => openTokens(keys, { id, ...newTokens(keys, id, true) }));
    expect(
      new Set(made.flatMap(({ page, file, authentication, rotating }) => [page, file, authentication, rotating])).size,
    ).toBe(400);
  });

  test('include a key of 20 bytes if codes rotate', () => {
    const id = uuidv7();
    const { rotating } = openTokens(keys, { id, ...newTokens(keys, id, true) });
    expect(Buffer.from(rotating!, 'base64url')).toHaveLength(20);
  });

  test('can be replaced individually, and are then stored themselves', () => {
    const id = uuidv7();
    const first = openTokens(keys, { id, ...newTokens(keys, id, false) });
    const next = { ...first, page: 'A'.repeat(25), rotating: newRotatingKey() };
    const kept = keepTokens(keys, id, next);
    expect(openTokens(keys, { id, ...kept })).toEqual(next);
    expect(kept).toMatchObject({ pageToken: shortDigestOf(next.page), authenticationToken: '' });
  });

  test('of one pass open nothing of another', () => {
    const [id, other] = [uuidv7(), uuidv7()];
    const kept = newTokens(keys, id, false);
    expect(() => openTokens(keys, { id: other, ...kept })).toThrow();
  });

  test('include the device’s, and no other text is accepted for it', () => {
    const id = uuidv7();
    const pass = { id, ...newTokens(keys, id, false) };
    const { authentication, page } = openTokens(keys, pass);
    expect(isAuthentication(keys, pass, authentication)).toBe(true);
    for (const text of ['', page, page.slice(3), pass.pageToken, pass.secrets!]) {
      expect(isAuthentication(keys, pass, text), text).toBe(false);
    }
  });
});
