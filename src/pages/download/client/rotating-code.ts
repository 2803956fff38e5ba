import { encode } from 'uqr';
import { codeOf, counterBytes, periodAt } from '../../../platform/one-time-code.ts';
import { encodePdf417 } from '../../../platform/symbologies/pdf417.ts';
import type { RotatingCode } from '../../card/rotating-code.ts';

/*
 * Redraws the rotating codes of a page in each period, without requests. It uses the service's clock, which the page
 * contains, because the phone's clock may be wrong.
 */

/** Width of the quiet zone in modules: ISO/IEC 18004 (QR) and 15438 (PDF417). */
const QUIET_ZONES = { qr: 4, pdf417: 2 };

for (const figure of document.querySelectorAll<HTMLElement>('[data-rotating]')) {
  const image = figure.querySelector('img');
  // Without https there is no Web Crypto, so the page keeps its initial code.
  if (image && crypto.subtle) void keepDrawing(image, JSON.parse(figure.dataset.rotating!) as RotatingCode);
}

async function keepDrawing(image: HTMLImageElement, code: RotatingCode): Promise<void> {
  const key = await crypto.subtle.importKey('raw', bytesOf(code.key), { name: 'HMAC', hash: 'SHA-1' }, false, ['sign']);
  const offset = clockOffset(code.now);
  let drawn = -1;
  const draw = async (): Promise<void> => {
    const now = Date.now() + offset;
    const period = periodAt(now, code);
    if (period === drawn) return;
    drawn = period;
    const hmac = await crypto.subtle.sign('HMAC', key, counterBytes(period));
    image.src = pictureOf(code.format, `${code.value}.${codeOf(new Uint8Array(hmac), code)}`);
  };
  const goOn = (): void => {
    void draw();
    const millis = code.periodSeconds * 1_000;
    setTimeout(goOn, millis - ((Date.now() + offset) % millis));
  };
  goOn();
  // Browsers pause timers of pages in the background.
  document.addEventListener('visibilitychange', () => void draw());
}

/** Returns how far the service's clock is ahead of this device's clock, corrected for the time since the response. */
function clockOffset(serviceNow: number): number {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const age = performance.now() - (navigation?.responseStart ?? performance.now());
  return serviceNow + age - Date.now();
}

function pictureOf(format: RotatingCode['format'], value: string): string {
  const { width, height, isDark } = format === 'qr' ? qrOf(value) : pdf417Of(value);
  const quiet = QUIET_ZONES[format];
  let path = '';
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!isDark(x, y)) continue;
      const start = x;
      while (x < width && isDark(x, y)) x++;
      path += `M${start + quiet} ${y + quiet}h${x - start}v1h${start - x}z`;
    }
  }
  const [right, bottom] = [width + 2 * quiet, height + 2 * quiet];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${right} ${bottom}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${right}v${bottom}H0z"/><path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function qrOf(value: string) {
  const { size, data } = encode(value, { ecc: 'M', border: 0 });
  return { width: size, height: size, isDark: (x: number, y: number) => Boolean(data[y]?.[x]) };
}

function pdf417Of(value: string) {
  const { width, height, dark } = encodePdf417(new TextEncoder().encode(value))!;
  return { width, height, isDark: (x: number, y: number) => dark[y * width + x] === 1 };
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
