import * as z from 'zod';
import type { ListedScan } from '../../domain/app-scans/list-scans.ts';
import { validityReasonOf } from '../../domain/app-scans/validity.ts';
import type { AccountContext } from '../../domain/context.ts';
import { searchString } from '../../domain/passes/search-index/search-string.ts';
import { VALIDITY_REASONS } from '../../domain/validity-reasons.ts';
import { formatDateTime } from '../../platform/dates.ts';
import {
  PASS_EXAMPLE,
  PASS_FIELDS_EXAMPLE,
  PASS_ID_EXAMPLE,
  TEMPLATE_EXAMPLE,
  TEMPLATE_ID_EXAMPLE,
} from '../examples.ts';
import { LocalTime, like, text, textOrNull } from '../view-fields.ts';

const ValidityReason = z
  .enum(VALIDITY_REASONS)
  .nullable()
  .describe('Reason why the scan was not accepted; null if it was accepted, or if the caller sent the status');

/** The reply to a new scan. */
export const CreatedScanView = z.object({
  appScanId: z.uuid(),
  scanStatus: z.int(),
  validityReason: ValidityReason,
  passId: like(z.uuid().nullable(), PASS_ID_EXAMPLE),
});

/** A scan in the deprecated list. */
export const ScanItemView = z.object({
  scanStatus: z.int(),
  validityReason: ValidityReason,
  createdOn: LocalTime,
  passId: textOrNull(PASS_ID_EXAMPLE),
  passGeneratedId: textOrNull(PASS_EXAMPLE.generatedId),
  passSearchString: textOrNull(PASS_EXAMPLE.searchString),
  passVoided: z.boolean(),
  passUserProvidedId: textOrNull(PASS_FIELDS_EXAMPLE.userProvidedId),
  passTemplateGuid: textOrNull(TEMPLATE_ID_EXAMPLE),
  passTemplateName: textOrNull(TEMPLATE_EXAMPLE.name),
  appConfigurationId: z.uuid(),
  scannedBarcodeValue: textOrNull(PASS_EXAMPLE.barcodeValue),
  appScanId: z.uuid(),
});

/** Returns a scan with the current state of its pass. */
export function scanItemView(
  ctx: AccountContext,
  { scan, pass, templateName }: ListedScan,
): z.infer<typeof ScanItemView> {
  // Callers no longer see the passes of a deleted template, even before their rows are deleted.
  const shown = templateName === null ? null : pass;
  return {
    scanStatus: scan.scanStatus,
    validityReason: validityReasonOf(scan),
    createdOn: formatDateTime(scan.createdAt, ctx.account.timezone),
    passId: scan.passId,
    passGeneratedId: shown?.generatedId ?? null,
    passSearchString: shown ? searchString(shown) : null,
    passVoided: shown?.voided ?? false,
    passUserProvidedId: shown?.userProvidedId ?? null,
    passTemplateGuid: shown?.templateId ?? null,
    passTemplateName: templateName,
    appConfigurationId: scan.configurationId,
    scannedBarcodeValue: scan.scannedBarcodeValue,
    appScanId: scan.id,
  };
}

/** A scan in the paginated list, with the members that the event `app_scan_created` has for the scan itself. */
export const ScanView = ScanItemView.extend({
  createdOnUtc: text('2027-01-31 07:30:00'),
  deviceName: textOrNull('Entrance 2'),
  storedValue: like(z.number().nullable(), 1),
  additionalPropertiesScan: like(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])), {
    [PASS_EXAMPLE.propertyIds.Coach]: true,
  }),
});

/** Returns a scan for the paginated list. */
export function scanView(ctx: AccountContext, listed: ListedScan): z.infer<typeof ScanView> {
  const { scan } = listed;
  return {
    ...scanItemView(ctx, listed),
    createdOnUtc: formatDateTime(scan.createdAt, 'UTC'),
    deviceName: scan.deviceName,
    storedValue: scan.storedValue,
    additionalPropertiesScan: scan.additionalProperties,
  };
}
