import type { AccountContext } from '../../../domain/context.ts';
import { filePath, pagePath } from '../../../domain/passes/page/links.ts';
import type { Pass } from '../../../domain/passes/table.ts';
import { checkQuery } from '../../../domain/search/check-query.ts';
import { eachPageOfPasses } from '../../../domain/search/search-passes.ts';
import { getScopeDefinitions } from '../../../domain/search/template-facts.ts';
import { timeZoneOf } from '../../../domain/templates/time-zone.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../../platform/csv.ts';
import { formatDateTime } from '../../../platform/dates.ts';
import { csvHeaders } from '../reply.tsx';

type Cell = string | number | boolean | null | undefined;
type ExportColumn = [title: string, cell: (pass: Pass) => Cell];

/**
 * Returns all matching passes as CSV, streamed while they are read. Throws like `checkQuery`, before anything is sent.
 */
export async function exportReply(
  ctx: AccountContext,
  query: Record<string, unknown>,
  { mark }: { mark: boolean },
): Promise<Response> {
  const resolved = await checkQuery(ctx, query);
  const definitions = await getScopeDefinitions(ctx, resolved.scope);
  const columns = [...builtIn(ctx, definitions), ...ownColumns(definitions)];
  const encoder = new TextEncoder();
  const head = (mark ? BYTE_ORDER_MARK : '') + csvLine(columns.map(([title]) => title));
  const pages = eachPageOfPasses(ctx, resolved);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    async pull(controller) {
      const { value: passes, done } = await pages.next();
      if (done) return controller.close();
      const lines = passes.map((pass) => csvLine(columns.map(([, cell]) => cell(pass))));
      controller.enqueue(encoder.encode(lines.join('')));
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  const day = formatDateTime(Date.now(), ctx.account.timezone).slice(0, 10);
  return new Response(body, {
    headers: csvHeaders(`passes-${day}.csv`),
  });
}

type Definitions = Awaited<ReturnType<typeof getScopeDefinitions>>;

/** Columns for built-in fields. Their titles are the names in the API and in imports. */
function builtIn({ account, baseUrl, env }: AccountContext, definitions: Definitions): ExportColumn[] {
  const time = (at: number | null, timezone = account.timezone) =>
    at === null ? null : formatDateTime(at, timezone).slice(0, 16);
  const zoneOf = ({ templateId }: Pass) => timeZoneOf(account, definitions.get(templateId)?.at(-1) ?? {});
  return [
    ['identifier', ({ id }) => id],
    ['userProvidedId', (pass) => pass.userProvidedId],
    ['generatedId', (pass) => pass.generatedId],
    ['passTemplateId', (pass) => pass.templateId],
    ['barcodeValue', (pass) => pass.barcodeValue],
    ['barcodeAlternativeText', (pass) => pass.barcodeAlternativeText],
    ['voided', (pass) => pass.voided],
    ['redeemed', (pass) => pass.redeemed],
    ['storedValue', (pass) => pass.storedValue],
    ['validAsOfDate', (pass) => time(pass.validAsOfAt, zoneOf(pass))],
    ['expirationDate', (pass) => time(pass.expirationAt, zoneOf(pass))],
    ['relevantDate', (pass) => time(pass.relevantAt, zoneOf(pass))],
    ['groupingIdentifier', (pass) => pass.groupingIdentifier],
    ['bundleId', (pass) => pass.bundleId],
    ['emailRecipient', (pass) => pass.emailRecipient],
    ['phoneRecipient', (pass) => pass.phoneRecipient],
    ['numberOfActive', (pass) => pass.numberOfActive],
    ['numberOfInactive', (pass) => pass.numberOfInactive],
    ['firstDownloadedAt', (pass) => time(pass.firstDownloadedAt)],
    ['lastUsage', (pass) => time(pass.lastUsageAt)],
    ['createdOn', (pass) => time(pass.createdAt)],
    ['modifiedOn', (pass) => time(pass.modifiedAt)],
    ['linkToPassPage', (pass) => baseUrl + pagePath(env, pass)],
    ['linkToPassFile', (pass) => baseUrl + filePath(env, pass)],
  ];
}

/**
 * Returns one column per name of a template's own field. Fields with the same name in several templates share a column.
 */
function ownColumns(definitions: Definitions): ExportColumn[] {
  const idsByName = new Map<string, string[]>();
  for (const { id, name } of [...definitions.values()]
    .flat()
    .flatMap(({ additionalProperties }) => additionalProperties)) {
    const ids = idsByName.get(name) ?? [];
    if (!ids.includes(id)) ids.push(id);
    idsByName.set(name, ids);
  }
  return [...idsByName].map(([name, ids]) => [
    name,
    ({ properties }) => ids.map((id) => properties[id]).find((value) => value !== undefined),
  ]);
}
