import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fromBase64 } from '../../platform/crypto.ts';

/** A PNG that comes with the service, ready to go into a pass file. */
export interface BuiltInImage {
  name: string;
  bytes: Uint8Array;
  /** Lower-case hexadecimal. */
  sha1: string;
  crc32: number;
}

/** A white card on slate grey, 38, 76 and 114 pixels a side, four colours. */
const PNG_BASE64 = {
  'icon.png':
    'iVBORw0KGgoAAAANSUhEUgAAACYAAAAmAgMAAADVUwE9AAAADFBMVEVKVWiGjprDxs3///9JkvsSAAAAOUlEQVR42mNgoDPQWgUEDWDmfxD4AGIxgplfQEwmMPMHWBSkdNUSooxFUotkAplMJOcgORLZ6XQEAPfUT/zYRG7BAAAAAElFTkSuQmCC',
  'icon@2x.png':
    'iVBORw0KGgoAAAANSUhEUgAAAEwAAABMAgMAAAC6+bm4AAAADFBMVEVKVWiGjprDxs3///9JkvsSAAAARklEQVR42mNgGAWDDjCuggEHuJj+fxj4ARfbDxf7B9f6HwFgmpmQxBpoJDY4gw8RgPQIg+Eihi0NYUtrWNMktrQ7CgYNAABU9zlxRMDikQAAAABJRU5ErkJggg==',
  'icon@3x.png':
    'iVBORw0KGgoAAAANSUhEUgAAAHIAAAByAgMAAADys23uAAAADFBMVEVKVWiGjprDxs3///9JkvsSAAAAb0lEQVR42mNgGAWjYBQMBsAaigzQJJn+o4AfqLLyqLL/HVBk69FkL6DIokn+/4DHWjSLmdFl/xAvy44u+3cwyDKGooGQ0XRJHsAfkoMz9kdlh7csJeUV/pIQfylKoATGX3rjL/nx1xqjYBSMggECAGcZsSXNf/pqAAAAAElFTkSuQmCC',
};

let icons: BuiltInImage[] | undefined;

/** The icon of a pass whose template has none: a pass file without an icon does not install (Apple, Wallet Passes). */
export function defaultIcons(): BuiltInImage[] {
  icons ??= Object.entries(PNG_BASE64).map(([name, base64]) => {
    const bytes = fromBase64(base64);
    return { name, bytes, sha1: hash('sha1', bytes), crc32: crc32(bytes) };
  });
  return icons;
}
