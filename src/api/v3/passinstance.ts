import { Hono } from 'hono';
import type { ApiEnv } from '../api-env.ts';
import { operation } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { SearchReply, searchAhead, searchReply } from './pass-list.ts';
import { askedByBody, QUERY_EXAMPLE, SearchInput } from './search-input.ts';

export const passInstanceRoutes = new Hono<ApiEnv>().post(
  '/search',
  operation({
    id: 'searchPasses',
    summary: 'Search passes',
    description:
      'Conditions of one group combine with AND, groups with OR, values of an array with OR. The body can also ' +
      'be the Query itself. Newest first; `page.next` is the URL of the next page, for a GET. `searchPhrase` ' +
      'searches every text, number and date as rows show it; `*` matches any characters. If the query names a ' +
      'template or project, additional properties are fields, by ID or by name. `fields` limits the members of ' +
      'a row; an unknown name returns 400.',
    tag: 'Search',
    scope: 'passes:read',
    example: { query: QUERY_EXAMPLE, pageSize: 20, fields: ['identifier', 'userProvidedId', 'createdOn'] },
    replies: { 200: { description: 'One page', schema: SearchReply } },
    failures: [404],
  }),
  readAhead('json', SearchInput, (key, body) => searchAhead(key, askedByBody(body))),
  async (c) => c.json(await searchReply(c.var.ctx, askedByBody(c.req.valid('json')), c.var.ahead)),
);
