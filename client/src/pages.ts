/** The pages of a list. Iterate over them, or over the items of all of them; a list is read once. */
export interface Pages<Page, Item> extends AsyncGenerator<Page, void, undefined> {
  /** The items of all pages, one after the other. */
  items(): AsyncGenerator<Item, void, undefined>;
}

type Query = Record<string, unknown>;

/** Where a page of a list is: the query of its operation, or the address that the page before has named. */
export type Place = { query: Query } | { address: string };

/** How a list goes on: by the next address in the reply, behind the last item, by asking again, or not at all. */
export interface Paging {
  style: string | undefined;
  /** For `uid`: the member of an item that names it. */
  id: string | undefined;
}

interface ListReply {
  data?: unknown[];
  results?: unknown[];
  query?: { next?: string };
  page?: { next?: string | null };
}

/** Walks a list. The first page is there even if it is empty, further ones have items. */
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
      // Where the same item is first again, nothing was acknowledged.
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
