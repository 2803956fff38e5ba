import { formatDateTime } from '../../platform/dates.ts';
import type { AccountContext } from '../context.ts';
import { searchString } from '../passes/search-index/search-string.ts';
import { namedProperties } from '../passes/values/property-values.ts';
import type { ScanPlan } from './scan-plan.ts';
import { UNKNOWN_STATUS } from './table.ts';
import { validityReasonOf } from './validity.ts';

/**
 * The fields of the scan list, and those that the event adds. `scanStatus`, `validityReason` and `passVoided` are those
 * of a scan without a pass: the database knows better.
 */
export function scanEventBody(ctx: AccountContext, id: string, plan: ScanPlan) {
  const { scan, configuration, createdAt, values, found } = plan;
  const pass = found?.pass;
  return {
    scanStatus: scan.status ?? UNKNOWN_STATUS,
    validityReason: validityReasonOf({ reason: plan.reason, scanStatus: scan.status ?? UNKNOWN_STATUS }),
    createdOn: formatDateTime(createdAt, ctx.account.timezone),
    createdOnUtc: formatDateTime(createdAt, 'UTC'),
    passId: pass?.id ?? null,
    passGeneratedId: pass?.generatedId ?? null,
    passSearchString: pass ? searchString(pass) : null,
    passVoided: false,
    passUserProvidedId: pass?.userProvidedId ?? null,
    passTemplateGuid: pass?.templateId ?? null,
    passTemplateName: found?.template.name ?? null,
    appConfigurationId: configuration.id,
    scannedBarcodeValue: scan.barcode ?? null,
    appScanId: id,
    deviceName: scan.deviceName ?? null,
    additionalPropertiesScan: values,
    additionalPropertiesPass: found ? namedProperties(found.definition, found.pass.properties) : {},
  };
}
