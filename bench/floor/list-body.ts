import { date, type Env, type Row } from './common.ts';
import { item } from './item.ts';

/** Builds the reply to a list. `rows` has one pass more than the page if there are more. */
export function listBody(env: Env, url: string, total: number, rows: Row[]): string {
  const [path, query = ''] = url.slice(url.indexOf('/api/')).split('?') as [string, string?];
  const sent = new URLSearchParams(query);
  const start = Number(sent.get('start') ?? 0);
  const pageSize = Number(sent.get('pageSize') ?? 100);
  const more = rows.length > pageSize;
  if (more) rows.pop();
  const last = rows.at(-1);
  const address = `${env.BASE_URL}${path}?`;
  const self = new URLSearchParams({ start: String(start), pageSize: String(pageSize) });
  for (const [key, value] of sent) self.set(key, value);
  const next = last && {
    start: String(start + pageSize),
    pageSize: String(pageSize),
    lastIdOfPriorPage: last.id,
    lastCreatedOnOfPriorPage: date(last.created_at),
  };
  return JSON.stringify({
    query: {
      start,
      pageSize,
      self: address + self,
      next: more && next ? address + new URLSearchParams(next) : undefined,
    },
    total,
    // Warm isolates have cached the definition that a pass shows.
    results: rows.map((row) => item(env, row, env.FLOOR_TEMPLATE_NAME)),
  });
}
