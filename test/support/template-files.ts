import { zipStore } from '../../src/platform/zip.ts';

/** Returns a coupon's pass.json, with some members replaced. */
export function couponJson(more: object = {}): Record<string, unknown> {
  return {
    formatVersion: 1,
    organizationName: 'Bakery',
    description: 'One coffee for free',
    coupon: { primaryFields: [{ key: 'offer', label: 'Offer', value: 'Free coffee' }] },
    ...more,
  };
}

type Content = string | Uint8Array | object;

/** Returns an archive of files by name; objects become JSON. */
export function archiveOf(files: Record<string, Content>): Uint8Array<ArrayBuffer> {
  return zipStore(Object.entries(files).map(([name, content]) => ({ name, bytes: bytesOf(content) })));
}

function bytesOf(content: Content): Uint8Array {
  if (content instanceof Uint8Array) return content;
  return new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
}

/** The content type that `importTemplate` accepts. */
export const ZIP_TYPE = { 'Content-Type': 'application/zip' };
