/** The pages of a list. Iterate over the pages, or over the items of all pages. A list can be read only once. */
export interface Pages<Page, Item> extends AsyncGenerator<Page, void, undefined> {
  /** The items of all pages, one after the other. */
  items(): AsyncGenerator<Item, void, undefined>;
}

type Query = Record<string, unknown>;

/** Location of a page: the query of its operation, or the next address from the page before. */
export type Place = { query: Query } | { address: string };

/**
 * How a list continues: with the next address in the reply, after the last item, by repeating the request, or not at
 * all.
 */
export interface Paging {
  style: string | undefined;
  /** For `uid`: the member of an item that holds its identifier. */
  id: string | undefined;
}

interface ListReply {
  data?: unknown[];
  results?: unknown[];
  query?: { next?: string };
  page?: { next?: string | null };
}

/** Iterates over a list. Yields the first page even if it is empty; later pages have items. */
export function pagesOf(
  { style, id = '' }: Paging,
  query: Query,
  fetchPage: (place: Place) => Promise<unknown>,
): Pages<unknown, unknown> {
  async function* pages(): AsyncGenerator<unknown, void, undefined> {
    let place: Place | undefined = { query };
    let first: string | undefined;
    while (place) {
      const page = (await fetchPage(place)) as ListReply;
      const items = itemsOf(page);
      const isFirst = first === undefined;
      const opening = JSON.stringify(items[0]) ?? '';
      // If the same item comes first again, the caller acknowledged nothing.
      if (!isFirst && (items.length === 0 || (style === 'again' && opening === first))) return;
      yield page;
      first = opening;
      place = nextPlace(page, items);
    }
  }

  function nextPlace(page: ListReply, items: unknown[]): Place | undefined {
    const address = page.query?.next ?? page.page?.next;
    if (style === 'next') return address ? { address } : undefined;
    if (items.length === 0 || style === 'all') return undefined;
    if (style === 'again') return { query };
    return { query: { ...query, startUid: (items.at(-1) as Record<string, unknown>)[id] } };
  }

  const walk = pages();
  return Object.assign(walk, {
    async *items() {
      for await (const page of walk) yield* itemsOf(page as ListReply);
    },
  });
}

function itemsOf(page: ListReply): unknown[] {
  return Array.isArray(page) ? page : (page.results ?? page.data ?? []);
}
