const VERSION_4 = 0x40;
const VARIANT = 0x80;

/** A random UUID (RFC 9562 §5.4), also for pages that did not come over https, which `crypto.randomUUID` leaves out. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | VERSION_4;
  bytes[8] = (bytes[8]! & 0x3f) | VARIANT;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
