import { expect, test } from 'vitest';
import { BARRIER_WORDS, BarrierPage } from '../../../src/pages/download/barrier-page.tsx';
import { BUNDLE_WORDS } from '../../../src/pages/download/bundle-page.tsx';
import { DownloadPage, type DownloadPageProps } from '../../../src/pages/download/download-page.tsx';
import { platformOf } from '../../../src/pages/download/page-parts.tsx';
import { PrintPage } from '../../../src/pages/download/print-page.tsx';
import { MessagePage } from '../../../src/pages/download/route.tsx';
import { PAGE_WORDS } from '../../../src/pages/download/words.ts';
import { pageHeaders } from '../../../src/pages/layout.tsx';
import { sampleCard, sampleField, sampleFields } from '../../support/card.ts';

const NONCE = '00ff';
const PASS_FILE = 'https://passes.example/a.pkpass';
const SAVE_LINK = 'https://pay.google.com/gp/v/save/b';

function render(overrides: Partial<DownloadPageProps> = {}): string {
  const props: DownloadPageProps = {
    card: sampleCard('coupon'),
    language: 'en',
    languages: [
      { code: 'en', url: '/en/p/x' },
      { code: 'de', url: '/de/p/x' },
    ],
    platform: 'ios',
    state: 'ok',
    passFileUrl: PASS_FILE,
    walletSaveUrl: SAVE_LINK,
    barcodeUrl: '/p/x/barcode.svg',
    development: false,
    printUrl: '/p/x?print',
    imageUrl: ({ sha256 }) => `/images/${sha256}`,
    now: Date.UTC(2026, 11, 1),
    nonce: NONCE,
    ...overrides,
  };
  return String(<DownloadPage {...props} />);
}

/** Returns the buttons' addresses in order. */
function buttons(html: string): string[] {
  return [...html.matchAll(/<a class="wallet-button \w+" href="([^"]+)"/g)].map(([, url]) => url!);
}

test.each([
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1', 'ios'],
  ['Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 Chrome/140 Mobile Safari/537.36', 'android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15', 'desktop'],
  [undefined, 'desktop'],
])('%s is %s', (userAgent, platform) => {
  expect(platformOf(userAgent)).toBe(platform);
});

test('each device gets a button for its own wallet, and a desktop both', () => {
  expect(buttons(render({ platform: 'ios' }))).toEqual([PASS_FILE]);
  expect(buttons(render({ platform: 'android' }))).toEqual([SAVE_LINK]);
  expect(buttons(render({ platform: 'desktop' }))).toEqual([PASS_FILE, SAVE_LINK]);
  expect(render({ platform: 'ios' })).toContain(`<a href="${SAVE_LINK}">`);
});

test('a wallet that is not offered has no button, and the other one takes its place', () => {
  expect(buttons(render({ platform: 'ios', passFileUrl: undefined }))).toEqual([SAVE_LINK]);
  const none = render({ passFileUrl: undefined, walletSaveUrl: undefined });
  expect(none).not.toContain('wallet-button');
});

test('the code to scan is a passive picture', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>x</script></svg>';
  const html = render({ platform: 'desktop', pageQrSvg: svg });
  expect(html).toContain(`src="data:image/svg+xml,${encodeURIComponent(svg).replaceAll("'", '&#39;')}"`);
  expect(render({ platform: 'desktop', pageQrSvg: svg, state: 'expired' })).not.toContain('data:image');
});

test('the page uses the visitor’s language and declares it', () => {
  const html = render({ language: 'de' });
  expect(html).toMatch(/^<!DOCTYPE html><html lang="de" dir="ltr">/);
  expect(html).toContain('Zu Apple Wallet hinzufügen');
  expect(html).toMatch(/<a href="\/de\/p\/x" lang="de" hreflang="de" aria-current="true">Deutsch</);
  expect(render({ language: 'pt-BR' })).toContain('<html lang="en"');
});

test('a pass that is no longer valid shows it, and its button is less prominent', () => {
  expect(render()).not.toContain('role="status"');
  expect(render({ state: 'voided' })).toMatch(/role="status".*This pass has been voided.*wallet-buttons quiet/s);
  const expired = render({
    state: 'expired',
    card: sampleCard('coupon', { expirationAt: Date.UTC(2026, 10, 30, 22, 59) }),
  });
  expect(expired).toMatch(/It was valid until November 30, 2026 at 11:59\sPM\./);
});

test('a development signature is mentioned, a real one is not', () => {
  expect(render({ development: true })).toContain('development certificate');
  expect(render()).not.toContain('development certificate');
});

test('the print version can be hidden', () => {
  expect(render()).toContain('/p/x?print');
  expect(render({ printUrl: undefined })).not.toContain('print"');
});

test('the print version is requested by a form, which link scanners do not send', () => {
  expect(render()).toMatch(/<form method="post" action="\/p\/x\?print"><button type="submit">/);
});

test.each(Object.entries(PAGE_WORDS))(
  'texts about PINs and bundles are translated to %s, too',
  (language, { lang }) => {
    const locked = String(
      <BarrierPage barrier="locked" organizationName="A" language={language} lockedUntil={15 * 60_000} now={1} />,
    );
    expect(locked).toContain(`<html lang="${lang}"`);
    expect(locked).toMatch(/[^{]15 minut/i);
    expect(locked).not.toContain('{when}');
    expect(Object.keys(BARRIER_WORDS)).toContain(language);
    expect(Object.keys(BUNDLE_WORDS)).toContain(language);
  },
);

test('the page loads nothing from other sites and complies with its own policy', () => {
  const html = render({ platform: 'desktop', pageQrSvg: '<svg/>' });
  const policy = pageHeaders(NONCE)['Content-Security-Policy']!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe-inline');
  expect(html.match(/<style nonce="([^"]*)"/)![1]).toBe(NONCE);
  expect(policy).toContain(`'nonce-${NONCE}'`);
  expect(html).not.toMatch(/<script|\sstyle=|\son\w+=/);
  for (const [, url] of html.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)) expect(url).toMatch(/^(\/|data:)/);
});

test('the print version has the code, all fields and the address', () => {
  const card = sampleCard('eventTicket');
  const html = String(
    <PrintPage
      card={card}
      language="de"
      state="voided"
      barcodeUrl="/p/x/barcode.svg"
      pageUrl="https://passes.example/p/x"
      imageUrl={() => '/images/x'}
      now={0}
    />,
  );
  for (const text of [
    'Neujahrskonzert – Österreich',
    'Einlass',
    '49,50',
    'Keine Rückgabe',
    'Entwertet',
    '/barcode.svg',
  ]) {
    expect(html).toContain(text);
  }
  expect(html).toContain('<footer class="sheet-foot">https://passes.example/p/x</footer>');
});

test.each([
  ['notFound', 'Karte nicht gefunden'],
  ['gone', 'Diese Karte gibt es nicht mehr'],
  ['error', 'Ein Fehler ist aufgetreten'],
  ['tooMany', 'Zu viele Anfragen'],
] as const)('the message %s has a heading', (message, heading) => {
  expect(String(<MessagePage language="de" message={message} />)).toContain(`<h1>${heading}</h1>`);
});

test('the print version has no labels without a text, and writes addresses out', () => {
  const fields = sampleFields({
    secondaryFields: [sampleField('a', 'Nothing', '')],
    backFields: [sampleField('b', 'Nobody', ''), sampleField('c', 'Hours', '9–17')],
  });
  const links = [
    { label: 'Shop', url: 'https://coffee.example/menu' },
    { label: '', url: 'tel:+43' },
    { label: 'Unsafe', url: 'javascript:alert(1)' },
  ];
  const html = String(
    <PrintPage
      card={sampleCard('storeCard', { fields, links })}
      language="en"
      state="ok"
      pageUrl="https://passes.example/p/x"
      imageUrl={() => '/images/x'}
      now={0}
    />,
  );
  for (const text of ['Nothing', 'Nobody', 'Unsafe']) expect(html).not.toContain(text);
  for (const text of ['Hours', 'Shop: ', '>coffee.example/menu<', '>+43<']) expect(html).toContain(text);
});
