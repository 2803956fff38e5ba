import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { getScope } from '../../../src/domain/search/scope.ts';
import { getScopeDefinitions } from '../../../src/domain/search/template-facts.ts';
import type { StoredDefinition } from '../../../src/domain/templates/definition.ts';
import { CACHED_CHARS_MAX, cacheDefinition, getDefinition } from '../../../src/domain/templates/get-template.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeProject, makeTemplate } from './crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

const emptyCache = () =>
  cacheDefinition(crypto.randomUUID(), 1, { name: 'x'.repeat(CACHED_CHARS_MAX - 100) } as StoredDefinition);

test('a search reads many large definitions without their e-mails, options and places, and leaves those to others', async () => {
  const projectId = await makeProject(ctx);
  const mail = { subject: 'Hello', emailTemplate: 'x'.repeat(500_000) };
  const sendoutOptions = { passCreationNotification: mail, adHoc: mail };
  const lists = {
    additionalProperties: [{ name: 'Size', type: 'select' as const, options: ['S', 'M'] }],
    validValidationPlaces: ['Hall'],
  };
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push(await makeTemplate(ctx, { projectId, sendoutOptions, ...lists }));
  const small = await makeTemplate(ctx, { projectId, sendoutOptions: { adHoc: { subject: 'A', emailTemplate: 'B' } } });
  emptyCache();
  for (const _ of ['read', 'cached']) {
    const found = await getScopeDefinitions(ctx, await getScope(ctx, { projectId }));
    const [first, last] = [found.get(ids[0]!)![0]!, found.get(small)![0]!];
    expect(JSON.stringify([...found]).length).toBeLessThan(200_000);
    expect(first.sendoutOptions.passCreationNotification).toEqual({ subject: 'Hello', emailTemplate: '' });
    expect(first.additionalProperties).toMatchObject([{ name: 'Size', type: 'select' }]);
    expect(first.additionalProperties[0]).not.toHaveProperty('options');
    expect(first.validValidationPlaces).toEqual([]);
    expect(last.sendoutOptions.adHoc).toEqual({ subject: 'A', emailTemplate: 'B' });
  }
  expect((await getDefinition(ctx, ids[0]!, 1)).sendoutOptions.adHoc).toEqual(mail);
});
