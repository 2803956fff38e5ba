import { describe, expect, test } from 'vitest';
import { PassWallet } from '../../client/src/index.ts';

/* Pagination of lists, with a service that answers from a table. */

/** Creates a client of a service with a fixed body for each path and query, and records its requests. */
function walletOf(replies: Record<string, unknown>) {
  const asked: string[] = [];
  const fetch = async (url: string, { method, body }: RequestInit) => {
    const address = `${method} ${url.replace('https://service.example', '')}`;
    asked.push(body ? `${address} ${body}` : address);
    return Response.json(replies[address]);
  };
  return { wallet: new PassWallet({ baseUrl: 'https://service.example', apiKey: 'pk_1', fetch }), asked };
}

async function all<T>(walk: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of walk) found.push(one);
  return found;
}

describe('a list', () => {
  test('of version 1 follows query.next, always at the client’s address', async () => {
    const { wallet, asked } = walletOf({
      'GET /api/pass/list/t?pageSize=2': {
        query: { next: 'https://another.name/api/pass/list/t?start=2&pageSize=2' },
        results: [{ identifier: 'a' }, { identifier: 'b' }],
      },
      'GET /api/pass/list/t?start=2&pageSize=2': { query: {}, results: [{ identifier: 'c' }] },
    });
    const passes = wallet.listPasses({ path: { template: 't' }, query: { pageSize: 2 } });
    expect((await all(passes.items())).map(({ identifier }) => identifier)).toEqual(['a', 'b', 'c']);
    expect(asked).toHaveLength(2);
  });

  test('continues at the client’s host, whatever path the reply names', async () => {
    const { wallet, asked } = walletOf({
      'GET /api/v3/pass': { data: [{ identifier: 'a' }], page: { next: 'https://other.example/x.evil' } },
      'GET /x.evil': { data: [], page: { next: null } },
    });
    await all(wallet.listPassesV3());
    expect(asked).toEqual(['GET /api/v3/pass', 'GET /x.evil']);
  });

  test('that is a search continues with the reply’s address', async () => {
    const { wallet, asked } = walletOf({
      'POST /api/v3/passinstance/search': {
        data: [{ identifier: 'a' }],
        page: { next: 'https://service.example/api/v3/pass?query=e30' },
      },
      'GET /api/v3/pass?query=e30': { data: [{ identifier: 'b' }], page: { next: null } },
    });
    const pages = await all(wallet.searchPasses({ body: { searchPhrase: 'ada' } }));
    expect(pages.map(({ data }) => data[0]!.identifier)).toEqual(['a', 'b']);
    expect(asked).toEqual(['POST /api/v3/passinstance/search {"searchPhrase":"ada"}', 'GET /api/v3/pass?query=e30']);
  });

  test('with startUid continues after the last item, until nothing follows', async () => {
    const { wallet, asked } = walletOf({
      'GET /api/v3/audit-log?action=pass.delete': { data: [{ id: '3' }, { id: '2' }] },
      'GET /api/v3/audit-log?action=pass.delete&startUid=2': { data: [{ id: '1' }] },
      'GET /api/v3/audit-log?action=pass.delete&startUid=1': { data: [] },
      'GET /api/v3/process': { data: [{ identifier: 'x' }] },
      'GET /api/v3/process?startUid=x': { data: [] },
    });
    const pages = await all(wallet.listAuditLog({ query: { action: 'pass.delete' } }));
    expect(pages.map(({ data }) => data.map(({ id }) => id))).toEqual([['3', '2'], ['1']]);
    expect(await all(wallet.listProcesses().items())).toEqual([{ identifier: 'x' }]);
    expect(asked).toHaveLength(5);
  });

  test('without pages is a single page', async () => {
    const { wallet, asked } = walletOf({
      'GET /api/pass-template': [{ identifier: 't1' }, { identifier: 't2' }],
      'GET /api/v3/project': { data: [] },
    });
    expect(await all(wallet.listTemplates().items())).toHaveLength(2);
    expect(await all(wallet.listProjects())).toEqual([{ data: [] }]);
    expect(asked).toHaveLength(2);
  });

  test('of stored payloads is fetched again, as long as they are acknowledged', async () => {
    const stored = ['1', '2', '3'];
    let asked = 0;
    const fetch = async () => {
      asked++;
      return Response.json({ data: stored.slice(0, 2).map((id) => ({ id })) });
    };
    const wallet = new PassWallet({ baseUrl: 'https://service.example', apiKey: 'pk_1', fetch });
    const seen: string[] = [];
    for await (const { data } of wallet.listWebhookPayloads()) {
      seen.push(...data.map(({ id }) => id));
      stored.splice(0, data.length);
    }
    expect([seen, asked]).toEqual([['1', '2', '3'], 3]);
    stored.push('4');
    expect(await all(wallet.listWebhookPayloads())).toHaveLength(1);
  });

  test('is fetched lazily, and no further than it is read', async () => {
    const next = 'https://service.example/api/v3/pass?startUid=a';
    const { wallet, asked } = walletOf({ 'GET /api/v3/pass': { data: [{ identifier: 'a' }], page: { next } } });
    const passes = wallet.listPassesV3();
    expect(asked).toEqual([]);
    for await (const { identifier } of passes.items()) {
      expect(identifier).toBe('a');
      break;
    }
    expect(asked).toEqual(['GET /api/v3/pass']);
  });
});
