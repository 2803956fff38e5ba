/*
 * The floor of a fan-out: reads the push tokens of a template's active passes by page, and sends each page to the same
 * other end as the product. It writes nothing, so it has no texts, retries or crash recovery.
 */

interface Env {
  DB: D1Database;
  /** Stands in for the mTLS binding. */
  APNS: Fetcher;
}

/** Passes per page and concurrent requests, both like the product. */
const PAGE_PASSES = 100;
const PUSHES_AT_A_TIME = 6;

const PAGE = `select passes.key, registrations.push_token, registrations.pass_type_id
  from passes indexed by passes_active_keys_by_template cross join registrations on registrations.pass_id = passes.id
  where passes.template_id = ? and passes.number_of_active > 0 and passes.key > ? and passes.key <= ? and registrations.ended_at is null
  order by passes.key limit ${PAGE_PASSES}`;

interface Row {
  key: number;
  push_token: string;
  pass_type_id: string;
}

export default {
  /** Pushes to the passes of `template` with keys after `after`, up to `last`. Answers `{pushes, rowsRead}`. */
  async fetch(request, env) {
    const query = new URL(request.url).searchParams;
    const [template, last] = [query.get('template'), Number(query.get('last'))];
    let after = Number(query.get('after'));
    let [pushes, rowsRead] = [0, 0];
    for (;;) {
      const { results, meta } = await env.DB.prepare(PAGE).bind(template, after, last).all<Row>();
      rowsRead += meta.rows_read;
      if (results.length === 0) return Response.json({ pushes, rowsRead });
      await pushAll(env, results);
      pushes += results.length;
      after = results.at(-1)!.key;
    }
  },
} satisfies ExportedHandler<Env>;

async function pushAll(env: Env, rows: Row[]): Promise<void> {
  const waiting = rows.values();
  const work = async () => {
    for (const { push_token, pass_type_id } of waiting) {
      const reply = await env.APNS.fetch(`https://api.push.apple.com/3/device/${push_token}`, {
        method: 'POST',
        headers: { 'apns-topic': pass_type_id, 'apns-push-type': 'background', 'apns-priority': '5' },
        body: '{}',
      });
      await reply.text();
    }
  };
  await Promise.all(Array.from({ length: PUSHES_AT_A_TIME }, work));
}
