import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import type { StoredDefinition } from '../../../src/domain/templates/definition.ts';
import {
  cacheDefinition,
  cachedDefinition,
  getTemplate,
  newestDefinitionQuery,
  toDefinedTemplate,
} from '../../../src/domain/templates/get-template.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

/** Caches definitions of other templates, each with this many characters. */
function cacheOthers(count: number, chars: number): string[] {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  for (const id of ids) cacheDefinition(id, 1, { name: 'x'.repeat(chars) } as StoredDefinition);
  return ids;
}

describe('the cache of definitions', () => {
  test('keeps as many large ones as an isolate has memory for, the latest ones', () => {
    const ids = cacheOthers(100, 1_000_000);
    const kept = ids.filter((id) => cachedDefinition(id, 1));
    expect(kept.length).toBeLessThanOrEqual(20);
    expect(kept).toEqual(ids.slice(-kept.length));
  });

  test('counts the translations, of which wallets keep all texts in each language', () => {
    const translations: StoredDefinition['translations'] = {
      de: { ['x'.repeat(30_000)]: '' },
      fr: { A: 'B' },
      es: { A: 'B' },
      it: { A: 'B' },
    };
    const ids = Array.from({ length: 300 }, () => crypto.randomUUID());
    for (const id of ids) cacheDefinition(id, 1, { translations } as StoredDefinition);
    const kept = ids.filter((id) => cachedDefinition(id, 1));
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length).toBeLessThan(150);
  });

  test('can evict a definition while a request reads its template', async () => {
    const id = await makeTemplate(ctx);
    const { definition } = await getTemplate(ctx, id);
    const reading = newestDefinitionQuery(ctx, id);
    cacheOthers(100, 1_000_000);
    expect(cachedDefinition(id, 1)).toBeUndefined();
    expect(toDefinedTemplate((await reading)[0]).definition).toEqual(definition);
  });
});
