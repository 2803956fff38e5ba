import { Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { createScan } from '../../domain/app-scans/create-scan.ts';
import { type ScanQuestion, subjectForKey } from '../../domain/app-scans/find-subject.ts';
import { eachScanPage, listScans, scanListPart, scanRunPart } from '../../domain/app-scans/list-scans.ts';
import { validityReasonOf } from '../../domain/app-scans/validity.ts';
import type { AccountContext } from '../../domain/context.ts';
import { invalidField } from '../../domain/errors.ts';
import { AnyText, Numeric, OwnId, PassName, PassText } from '../../domain/fields.ts';
import { parseDateTime } from '../../platform/dates.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { PASS_IS_BUSY } from '../failures.ts';
import { operationsWith } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { CreatedScanView, ScanItemView, ScanView, scanItemView, scanView } from './appscan-view.ts';
import { PAGE_QUERY, pageFrame, pageOfZone, pageSchema, readInZoneSeen, readListDates } from './paging.ts';

const operation = operationsWith({ tag: 'Validation' });

const CONFIGURATION_EXAMPLE = '01980b5e-4a30-7a52-9c11-0242ac120002';
const INT32_MAX = 2 ** 31 - 1;

const ScanInput = z
  .object({
    appConfigurationId: OwnId,
    scannedBarcodeValue: PassText.nullish(),
    passId: PassName.nullish(),
    scanStatus: z.int().min(-INT32_MAX).max(INT32_MAX).nullish(),
    deviceName: PassName.nullish(),
    createdOn: AnyText.nullish(),
    setVoided: z.boolean().nullish(),
    additionalProperties: z.record(z.string(), z.unknown()).nullish(),
    storedValue: Numeric.nullish(),
  })
  .refine(({ scannedBarcodeValue, passId }) => scannedBarcodeValue || passId, {
    path: ['scannedBarcodeValue'],
    message: 'is required unless you send passId',
  });
type ScanInput = z.infer<typeof ScanInput>;

const ListQuery = z.object(PAGE_QUERY);
const OldListQuery = z.object({ appConfigurationId: OwnId, createdSince: z.string().optional() });

/** Returns the page that a query requests, without its dates. */
function pageOf({ start, pageSize, lastIdOfPriorPage }: z.output<typeof ListQuery>, configuration: string) {
  return { configurationId: lowerUuid(configuration), start, pageSize, afterId: lastIdOfPriorPage };
}

function questionOf({ appConfigurationId, scannedBarcodeValue, passId }: ScanInput): ScanQuestion {
  const barcode = scannedBarcodeValue || undefined;
  return { configurationId: appConfigurationId, passName: passId || undefined, barcode };
}

export const appScanRoutes = new Hono<ApiEnv>()
  .post(
    '/',
    operation({
      id: 'createAppScan',
      summary: 'Record a scan',
      description:
        'Status 0: accepted, and voided by this scan; 1: rejected; 2: accepted, attendance recorded; 3: not ' +
        'found. `validityReason` says why a scan was not accepted. If a pass is scanned several times at the ' +
        'same moment, exactly one scan gets status 0. With `scanStatus`, the service records your decision. A ' +
        'past `createdOn` is kept, and the pass is validated for that time. The effect of `storedValue` ' +
        'depends on the app configuration and on the template’s `passFunctionality`. `additionalProperties` can have ' +
        'at most 20,000 characters together.',
      scope: 'scans:write',
      example: {
        appConfigurationId: CONFIGURATION_EXAMPLE,
        scannedBarcodeValue: 'K7Q4-2F9D',
        deviceName: 'Entrance left',
      },
      replies: { 201: { description: 'Recorded', schema: CreatedScanView } },
      failures: [404],
      conflict: PASS_IS_BUSY,
    }),
    readAhead('json', ScanInput, ({ db, values }, input) => subjectForKey(db, values, questionOf(input))),
    async (c) => {
      const { ctx } = c.var;
      const input = c.req.valid('json');
      const { scan } = await createScan(ctx, scanOf(ctx, input), c.var.ahead);
      const { id: appScanId, scanStatus, passId } = scan;
      return c.json({ appScanId, scanStatus, validityReason: validityReasonOf(scan), passId }, 201);
    },
  )
  .get(
    '/',
    operation({
      id: 'listAllAppScans',
      summary: 'List all scans of an app configuration',
      description: 'Use `GET /api/appscan/list/{appConfigurationId}`, which returns pages.',
      scope: 'scans:read',
      deprecated: true,
      replies: { 200: { description: 'All scans, ordered by scan time', schema: z.array(ScanItemView) } },
      failures: [404],
    }),
    readAhead('query', OldListQuery, (key, query) =>
      readInZoneSeen(key, query, ({ createdSince }) => {
        return scanRunPart(ownerOfKey(key), { configurationId: query.appConfigurationId, createdSince });
      }),
    ),
    async (c) => {
      const { ctx, ahead } = c.var;
      const query = c.req.valid('query');
      const { createdSince } = readListDates(ctx, query);
      const asked = { configurationId: query.appConfigurationId, createdSince };
      const pages = eachScanPage(ctx, asked, pageOfZone(ctx, ahead));
      const first = await pages.next();
      const views = (page: typeof first) => (page.done ? [] : page.value.map((scan) => scanItemView(ctx, scan)));
      const begin = views(first);
      const second = await pages.next();
      if (second.done) return c.json(begin);
      // More than one page is streamed, so that memory use doesn't grow with the number of scans.
      const items = (async function* () {
        yield* begin;
        yield* views(second);
        for await (const page of pages) yield* page.map((scan) => scanItemView(ctx, scan));
      })();
      return c.body(jsonArray(items), 200, { 'Content-Type': 'application/json' });
    },
  )
  .get(
    '/list/:configuration',
    operation({
      id: 'listAppScans',
      summary: 'List the scans of an app configuration',
      description:
        'Ordered by scan time. Follow `query.next`, which costs the same at any depth. Excludes undone scans.',
      scope: 'scans:read',
      replies: { 200: { description: 'One page', schema: pageSchema(ScanView) } },
    }),
    readAhead('query', ListQuery, (key, query, { configuration }) =>
      readInZoneSeen(key, query, (dates) => {
        return scanListPart(ownerOfKey(key), { ...pageOf(query, configuration!), ...dates });
      }),
    ),
    async (c) => {
      const { ctx, ahead } = c.var;
      const query = c.req.valid('query');
      const asked = { ...pageOf(query, c.req.param('configuration')), ...readListDates(ctx, query) };
      const { configurationId } = asked;
      const page = await listScans(ctx, asked, pageOfZone(ctx, ahead));
      const place = { hasMore: page.hasMore, last: page.scans.at(-1)?.scan };
      return c.json({
        query: pageFrame(ctx, `/api/appscan/list/${configurationId}`, query, place),
        total: page.total,
        results: page.scans.map((scan) => scanView(ctx, scan)),
      });
    },
  );

function scanOf(ctx: AccountContext, input: ScanInput) {
  const { createdOn } = input;
  const createdAt = createdOn == null ? undefined : parseDateTime(createdOn, ctx.account.timezone);
  if (createdOn != null && createdAt === undefined) {
    throw invalidField('createdOn', 'must look like 2026-12-24 09:10:00');
  }
  return {
    ...questionOf(input),
    createdAt,
    status: input.scanStatus ?? undefined,
    setVoided: input.setVoided ?? undefined,
    deviceName: input.deviceName ?? undefined,
    additionalProperties: input.additionalProperties ?? undefined,
    storedValue: input.storedValue ?? undefined,
  };
}

/** Streams a JSON array item by item. */
function jsonArray(items: AsyncGenerator<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let lead = '[';
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await items.next();
      if (done) {
        controller.enqueue(encoder.encode(`${lead === '[' ? '[' : ''}]`));
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(lead + JSON.stringify(value)));
      lead = ',';
    },
  });
}
