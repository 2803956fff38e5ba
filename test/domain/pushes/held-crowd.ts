import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { COPIED_PASS, copyRow } from '../../support/copy-row.ts';
import { makeTemplate } from '../search/crowd.ts';

/**
 * Creates a template with passes on one device each, with token `<template>-<number>`, and passes on none. Returns the
 * template's identifier.
 */
export async function heldCrowd(ctx: AccountContext, active: number, inactive = 0): Promise<string> {
  const templateId = await makeTemplate(ctx);
  const { pass } = await createPass(ctx, templateId, {}, { wait: false });
  const run = async <Row>(sql: string, params: unknown[]) => {
    const bound = ctx.env.DB.prepare(sql).bind(...params);
    return (await bound.all<Row>()).results;
  };
  const own = {
    ...COPIED_PASS,
    id: "printf('%s-7%03x-%s-%04x%s', substr(id, 1, 13), numbers.value % 4096, substr(id, 20, 4), numbers.value, substr(id, -8))",
    number_of_active: `numbers.value <= ${active}`,
  };
  await copyRow(run, { table: 'passes', where: 'id = ?', params: [pass.id], rows: active + inactive, own });
  await run(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select 'device-' || key, 'pass.com.example.test', id, account_id, template_id || '-' || key, 1, null
     from passes where template_id = ? and number_of_active > 0`,
    [templateId],
  );
  return templateId;
}
