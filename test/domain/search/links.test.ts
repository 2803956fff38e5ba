import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { filePath, pagePath } from '../../../src/domain/passes/page/links.ts';
import { searchPasses } from '../../../src/domain/search/search-passes.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from './crowd.ts';

/*
 * A condition on a link matches its public parts or its whole token: no search reveals part of a token.
 */

let database: LocalDatabase;
let ctx: AccountContext;
/** A single pass, one in a bundle, and a third one that no query is for. */
const links: { id: string; downloadPage: string; passFileUri: string }[] = [];

beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = withJobs(await database.accountContext());
  const template = await makeTemplate(ctx);
  for (const sent of [{}, { bundleId: 'b' }, {}]) {
    const { pass } = await createPass(ctx, template, sent, { wait: true });
    const [page, file] = [pagePath(ctx.env, pass), filePath(ctx.env, pass)];
    links.push({ id: pass.id, downloadPage: ctx.baseUrl + page, passFileUri: ctx.baseUrl + file });
  }
});
afterAll(() => database.close());

type Field = 'downloadPage' | 'linkToPassPage' | 'passFileUri';

/** Returns the positions in `links` of the passes that a condition selects. */
async function found(field: Field, operator: string, value: string | string[]): Promise<number[]> {
  const query = { groups: [[{ field, operator, value }]] };
  const { rows } = await searchPasses(ctx, { query, pageSize: 10 });
  return rows.map(({ pass }) => links.findIndex(({ id }) => id === pass.id)).sort();
}

const [ALL, NONE] = [[0, 1, 2], []];
const others = (place: number) => ALL.filter((one) => one !== place);
const tokenIn = (link: string) => /([\w-]{22,25})(?:\.pkpass)?$/.exec(link)![1]!;
const publicPartOf = (link: string) => link.slice(0, link.lastIndexOf(tokenIn(link)));

describe.each(['downloadPage', 'linkToPassPage', 'passFileUri'] as const)('a condition on %s', (field) => {
  const linkOf = (place: number) => links[place]![field === 'passFileUri' ? field : 'downloadPage'];

  test.each([0, 1])('finds the pass by its whole link, whatever the operator (pass %i)', async (place) => {
    const link = linkOf(place);
    for (const operator of ['equals', 'contains', 'beginsWith', 'endsWith']) {
      expect(await found(field, operator, link), operator).toEqual([place]);
    }
    for (const operator of ['notEquals', 'doesNotEqual', 'doesNotContain']) {
      expect(await found(field, operator, link), operator).toEqual(others(place));
    }
    expect(await found(field, 'equals', [linkOf(2), link, 'x'])).toEqual([place, 2]);
    expect(await found(field, 'notEquals', [linkOf(2), link])).toEqual(others(place).filter((one) => one !== 2));
    const many = [...Array.from({ length: 20 }, (_, i) => `${publicPartOf(link)}${String(i).padStart(22, '0')}`), link];
    expect(await found(field, 'equals', many)).toEqual([place]);
    expect(await found(field, 'doesNotContain', many)).toEqual(others(place));
  });

  test.each([0, 1])('finds it by a text with the whole token (pass %i)', async (place) => {
    const link = linkOf(place);
    const token = tokenIn(link);
    expect(await found(field, 'contains', token)).toEqual([place]);
    expect(await found(field, 'contains', `/${token}`)).toEqual([place]);
    expect(await found(field, 'endsWith', link.slice(link.indexOf(token) - 3))).toEqual([place]);
    expect(await found(field, 'contains', `x/${token}`)).toEqual(NONE);
    expect(await found(field, 'contains', `${token}x`)).toEqual(NONE);
    expect(await found(field, 'equals', token)).toEqual(NONE);
  });

  test('reveals no part of a token', async () => {
    const link = linkOf(0);
    const [token, before] = [tokenIn(link), publicPartOf(link)];
    for (const chars of [1, 2, 11, 21]) {
      const [start, end] = [token.slice(0, chars), token.slice(-chars)];
      for (const [operator, value] of [
        ['beginsWith', before + start],
        ['contains', before + start],
        ['contains', `/${start}`],
        ['endsWith', `${end}${link.slice(link.indexOf(token) + token.length)}`],
        ['equals', before + start],
        ...['greaterThan', 'greaterThanOrEquals', 'lowerThan', 'lowerThanOrEquals'].map((one) => [one, before + start]),
      ] as const) {
        // A token may begin with a letter of the public part, such as the "p" of its "/p".
        if (before.includes(value!)) continue;
        const selected = await found(field, operator!, value!);
        // One or two letters may occur in a public part, as in ".pkpass".
        if (field !== 'passFileUri' || chars > 2) expect(selected, `${operator} ${value}`).not.toContain(0);
      }
    }
    for (const value of ['\u0001', `${before}\u0001`]) expect(await found(field, 'contains', value)).toEqual(NONE);
  });

  test('compares the public parts as before', async () => {
    const [before] = [`${ctx.baseUrl}/p`];
    expect(await found(field, 'beginsWith', before)).toEqual(ALL);
    expect(await found(field, 'contains', 'passes.example/')).toEqual(ALL);
    expect(await found(field, 'contains', 'PASSES.example/')).toEqual(NONE);
    expect(await found(field, 'beginsWith', '/p')).toEqual(NONE);
    expect(await found(field, 'endsWith', '.pkpass')).toEqual(field === 'passFileUri' ? ALL : NONE);
    expect(await found(field, 'greaterThan', 'https')).toEqual(ALL);
    expect(await found(field, 'greaterThan', 'i')).toEqual(NONE);
    expect(await found(field, 'lowerThanOrEquals', 'i')).toEqual(ALL);
    expect(await found(field, 'greaterThan', linkOf(0).slice(0, before.length))).toEqual(ALL);
    for (const operator of ['greaterThanOrEquals', 'lowerThanOrEquals']) {
      expect(await found(field, operator, linkOf(0))).toContain(0);
    }
    for (const operator of ['greaterThan', 'lowerThan']) {
      expect(await found(field, operator, linkOf(0))).not.toContain(0);
    }
    expect(await found(field, 'notEmpty', '')).toEqual(ALL);
    expect(await found(field, 'empty', '')).toEqual(NONE);
  });
});

test('the identifier in a file link is public', async () => {
  const link = links[1]!.passFileUri;
  expect(await found('passFileUri', 'contains', `/${links[1]!.id}/`)).toEqual([1]);
  expect(await found('passFileUri', 'beginsWith', publicPartOf(link))).toEqual([1]);
});
