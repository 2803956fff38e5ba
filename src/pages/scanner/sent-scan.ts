import * as z from 'zod';
import type { NewScan } from '../../domain/app-scans/scan-plan.ts';
import { invalidInput } from '../../domain/check.ts';
import { TEXT_CHARS_MAX } from '../../domain/limits.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { ScannerScan } from './protocol.ts';

const DEVICE_CHARS_MAX = 100;

const Uuid = z.string().regex(UUID_PATTERN, 'must be a UUID');

const SentScan = z.object({
  id: Uuid,
  configurationId: Uuid,
  value: z.string().min(1, 'must not be empty').max(TEXT_CHARS_MAX),
  scannedAt: z.int().min(0),
  deviceName: z.string().max(DEVICE_CHARS_MAX).nullable(),
  properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  storedValue: z.number().nullable(),
}) satisfies z.ZodType<ScannerScan>;

const SentPin = z.object({ pin: z.string().max(DEVICE_CHARS_MAX) });

/** Parses a scan from the app. Throws `invalid` with an issue per invalid field. */
export function readScan(body: unknown): Omit<NewScan, 'link'> & { barcode: string; clientId: string } {
  const { id, configurationId, value, scannedAt, deviceName, properties, storedValue } = parse(SentScan, body);
  return {
    clientId: id,
    configurationId,
    barcode: value,
    createdAt: scannedAt,
    deviceName: deviceName ?? undefined,
    additionalProperties: properties,
    storedValue: storedValue ?? undefined,
  };
}

export function readPin(body: unknown): string {
  return parse(SentPin, body).pin;
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues);
}
