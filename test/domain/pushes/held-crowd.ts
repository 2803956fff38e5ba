import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import type { Db } from '../../../src/platform/db.ts';
import { makeTemplate } from '../search/crowd.ts';

/** A template with passes that are each on a device of their own, token `<template>-<number>`, and passes that are on none. Returns the template's identifier. */
export async function heldCrowd(ctx: AccountContext, active: number, inactive = 0): Promise<string> {
  const templateId = await makeTemplate(ctx);
  const { pass } = await createPass(ctx, templateId, {}, { wait: false });
  const { $client } = ctx.db as Db & { $client: D1Database };
  const run = (sql: string, ...params: unknown[]) =>
    $client
      .prepare(sql)
      .bind(...params)
      .all<{ name: string }>();
  const { results } = await run("select name from pragma_table_info('passes')");
  const own: Record<string, string> = {
    key: 'null',
    id: "printf('%s-7%03x-8000-%012x', substr(passes.id, 1, 13), value % 4096, value)",
    generated_id: "generated_id || '-' || value",
    page_token: "page_token || '-' || value",
    number_of_active: `value <= ${active}`,
  };
  const columns = results.map(({ name }) => name);
  await run(
    `insert into passes (${columns})
     with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ?)
     select ${columns.map((name) => own[name] ?? `passes.${name}`)} from passes, numbers where passes.id = ?`,
    active + inactive,
    pass.id,
  );
  await run(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select 'device-' || key, 'pass.com.example.test', id, account_id, template_id || '-' || key, 1, null
     from passes where template_id = ? and number_of_active > 0`,
    templateId,
  );
  return templateId;
}
