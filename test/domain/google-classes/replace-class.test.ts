import { afterAll, beforeAll, expect, test } from 'vitest';
import { purgeClasses, replaceClass } from '../../../src/domain/google-classes/replace-class.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

const DAY_MS = 24 * 60 * 60_000;

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

/** Simulates Google's side of one class. */
function remote() {
  const id = `3388.${crypto.randomUUID()}`;
  const has = { content: undefined as unknown, sent: 0 };
  const put = (content: unknown, meanwhile: () => Promise<unknown> = async () => {}) =>
    replaceClass(database.context(), id, content, async () => {
      await meanwhile();
      has.content = content;
      has.sent += 1;
      return { taken: true, reply: 'sent' };
    });
  return { id, has, put };
}

test('the same content is sent once', async () => {
  const { has, put } = remote();
  expect(await put({ gate: 'A1' })).toBe('sent');
  expect(await put({ gate: 'A1' })).toBeUndefined();
  await put({ gate: 'B2' });
  expect(has).toEqual({ content: { gate: 'B2' }, sent: 2 });
});

test('rejected content is not recorded', async () => {
  const { id, has, put } = remote();
  await replaceClass(database.context(), id, { gate: 'A1' }, async () => ({ taken: false, reply: 'refused' }));
  await put({ gate: 'A1' });
  expect(has.sent).toBe(1);
});

test('a sender that crashed leaves the content unknown', async () => {
  const { id, has, put } = remote();
  await put({ gate: 'A1' });
  const dying = replaceClass(database.context(), id, { gate: 'B2' }, async () => {
    has.content = { gate: 'B2' };
    throw new Error('died');
  });
  await expect(dying).rejects.toThrow('died');
  await put({ gate: 'A1' });
  expect(has.content).toEqual({ gate: 'A1' });
});

test('a slow sender whose content arrives last has it recorded', async () => {
  const { has, put } = remote();
  await put({ gate: 'slow' }, async () => {
    if (has.sent === 0) await put({ gate: 'quick' });
  });
  expect(has.content).toEqual({ gate: 'slow' });
  const { sent } = has;
  await put({ gate: 'slow' });
  expect(has.sent).toBe(sent);
  await put({ gate: 'quick' });
  expect(has.content).toEqual({ gate: 'quick' });
});

test('classes that were not sent for long are deleted', async () => {
  const { has, put } = remote();
  await put({ gate: 'A1' });
  await purgeClasses(database.context(), Date.now() + 59 * DAY_MS);
  await put({ gate: 'A1' });
  expect(has.sent).toBe(1);
  await purgeClasses(database.context(), Date.now() + 61 * DAY_MS);
  await put({ gate: 'A1' });
  expect(has.sent).toBe(2);
});
