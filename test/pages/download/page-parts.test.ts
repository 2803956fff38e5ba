import { expect, test } from 'vitest';
import { platformOf } from '../../../src/pages/download/page-parts.tsx';

test.each([
  ['ios', 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15'],
  ['ios', 'Mozilla/5.0 (iPad; CPU OS 26_0 like Mac OS X) AppleWebKit/605.1.15'],
  ['ios', 'Mozilla/5.0 (iPod touch; CPU iPhone OS 15_8 like Mac OS X) AppleWebKit/605.1.15'],
  ['ios', 'Mozilla/5.0 (iPod; CPU OS 15_8) AppleWebKit/605.1.15'],
  ['android', 'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36'],
  ['desktop', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15'],
  ['desktop', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['desktop', undefined],
])('%s: %s', (platform, userAgent) => {
  expect(platformOf(userAgent)).toBe(platform);
});
