import { styleText } from 'node:util';
import type { Outcome } from './forward.ts';
import type { Payload } from './service.ts';

const TYPE_CHARS = 34;

/** Formats an event as one line: time, type and subject. Uses colors only where they are supported. */
export function eventLine({ type, payload }: Payload, at: Date): string {
  const time = styleText('dim', at.toTimeString().slice(0, 8));
  return `${time}  ${styleText('cyan', type.padEnd(TYPE_CHARS))} ${subjectOf(payload)}`;
}

/** Formats the result of forwarding, as the end of the event's line. */
export function outcomeText({ delivered, answer, durationMs }: Outcome, retryMs?: number): string {
  const result = styleText(delivered ? 'green' : 'red', `${delivered ? '→' : '✗'} ${answer}`);
  const again = retryMs === undefined ? '' : `, retry in ${retryMs / 1_000} s`;
  return `${result} ${styleText('dim', `(${durationMs} ms)`)}${again}`;
}

/** Names the event's subject: template and pass, or scan, or message. */
function subjectOf(body: Record<string, unknown>): string {
  const { channel, recipient, subject, statusDetails } = body;
  if (channel !== undefined) return parts([channel, recipient, statusDetails ?? subject]);
  if (body.appScanId !== undefined) {
    return parts([
      `status ${body.scanStatus}`,
      body.passTemplateName,
      body.passUserProvidedId ?? body.scannedBarcodeValue,
    ]);
  }
  if (body.passId === undefined) return parts([body.name]);
  return parts([body.passTemplate, body.userProvidedId ?? body.uniqueIdentifier, body.operatingSystem]);
}

/** Joins values for the terminal. Callers' texts may contain control characters, which are removed. */
function parts(values: unknown[]): string {
  const known = values.filter((value) => value !== null && value !== undefined && value !== '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return known.map((value) => String(value).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')).join(' · ');
}
