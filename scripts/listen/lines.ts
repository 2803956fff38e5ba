import { styleText } from 'node:util';
import type { Outcome } from './forward.ts';
import type { Payload } from './service.ts';

const TYPE_CHARS = 34;

/** An event in one line for people: time, type, and what it is about. Colours only where they can be seen. */
export function eventLine({ type, payload }: Payload, at: Date): string {
  const time = styleText('dim', at.toTimeString().slice(0, 8));
  return `${time}  ${styleText('cyan', type.padEnd(TYPE_CHARS))} ${subjectOf(payload)}`;
}

/** What became of forwarding it, as the end of its line. */
export function outcomeText({ delivered, answer, durationMs }: Outcome, retryMs?: number): string {
  const result = styleText(delivered ? 'green' : 'red', `${delivered ? '→' : '✗'} ${answer}`);
  const again = retryMs === undefined ? '' : `, again in ${retryMs / 1_000} s`;
  return `${result} ${styleText('dim', `(${durationMs} ms)`)}${again}`;
}

/** What a reader knows the subject by: template and pass, or scan, or message. */
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

/** Texts of callers end up in a terminal: control characters do not. */
function parts(values: unknown[]): string {
  const known = values.filter((value) => value !== null && value !== undefined && value !== '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return known.map((value) => String(value).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')).join(' · ');
}
