import type { Context } from 'hono';
import type { OpenedLink } from '../../domain/app-configurations/open-link.ts';
import { clientFile } from '../../platform/client-files.ts';
import { negotiateLanguage, wordsIn } from '../language.ts';
import { Layout, newNonce, pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import type { Scanner, ScannerBoot } from './protocol.ts';
import { ScannerPage } from './scanner-page.tsx';
import { scannerColors } from './scanner-view.ts';
import { de } from './words/de.ts';
import type { ScannerWords } from './words/en.ts';
import { en } from './words/en.ts';
import { es } from './words/es.ts';
import { fr } from './words/fr.ts';
import { it } from './words/it.ts';
import { nl } from './words/nl.ts';

/**
 * Below `/scan/`, so that its scope covers the pages there. The address must never change, or old and new workers would
 * conflict.
 */
export const SERVICE_WORKER_PATH = '/scan/service-worker.js';
const SCOPE = '/scan/';

const app = clientFile('scanner/app.ts');
const decoder = clientFile('scanner/decoder.ts');
const icons = {
  svg: clientFile('scanner/icon.svg').path,
  small: clientFile('scanner/icon-192.png').path,
  large: clientFile('scanner/icon-512.png').path,
  touch: clientFile('scanner/icon-180.png').path,
};
const FILES = [clientFile('scanner/styles.css').path, app.path, decoder.path, ...decoder.loads, icons.svg];

/** Returns the app with the content of its link. */
export function pageReply(c: Context<PageEnv>, scanner: Scanner) {
  const words = askedWords(c);
  const boot: ScannerBoot = {
    base: `${SCOPE}${encodeURIComponent(c.req.param('token')!)}`,
    scanner,
    files: { decoder: decoder.path, serviceWorker: SERVICE_WORKER_PATH, all: FILES },
    language: words.lang,
    words: { ...words },
  };
  const page = (
    <ScannerPage boot={boot} words={words} script={app.path} icons={{ touch: icons.touch, small: icons.svg }} />
  );
  return c.html(page, 200, scannerHeaders());
}

const MESSAGE_STATUS = { gone: 404, suspended: 403, tooMany: 429, error: 500 } as const;

/** Returns a page with only a message. */
export function messageReply(c: Context<PageEnv>, message: 'gone' | 'suspended' | 'tooMany' | 'error') {
  const words = askedWords(c);
  const [title, text] = [words[`${message}Title`], words[`${message}Text`]];
  const page = (
    <Layout language={words.lang} title={title} stylesheet="scanner/styles.css" icon={icons.svg}>
      <main class="locked">
        <div class="panel">
          <h1>{title}</h1>
          <p class="quiet">{text}</p>
        </div>
      </main>
    </Layout>
  );
  return c.html(page, MESSAGE_STATUS[message], { ...pageHeaders(newNonce()), Vary: 'Accept-Language' });
}

/** Returns the web app manifest for one link. */
export function manifestReply(c: Context<PageEnv>, { configuration }: OpenedLink) {
  const start = `${SCOPE}${encodeURIComponent(c.req.param('token')!)}`;
  const { background } = scannerColors(configuration);
  const { name } = configuration;
  const manifest = {
    id: start,
    start_url: start,
    scope: SCOPE,
    name,
    short_name: name,
    display: 'standalone',
    background_color: background,
    theme_color: background,
    icons: [
      { src: icons.small, sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: icons.large, sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: icons.large, sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  };
  return c.json(manifest, 200, { 'Content-Type': 'application/manifest+json', 'Cache-Control': 'private, no-cache' });
}

/** Returns the service worker at its fixed address. */
export async function serviceWorkerReply(c: Context<PageEnv>): Promise<Response> {
  const file = await c.env.ASSETS.fetch(new URL(clientFile('scanner/service-worker.ts').path, c.req.url));
  return new Response(file.body, {
    status: file.status,
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': "default-src 'none'; script-src 'self'; connect-src 'self'",
    },
  });
}

function askedWords(c: Context<PageEnv>): ScannerWords {
  const available = Object.keys(SCANNER_WORDS);
  return wordsIn(SCANNER_WORDS, negotiateLanguage(c.req.header('Accept-Language'), available) ?? 'en');
}

/**
 * Returns the headers of the app. Scripts and workers come from this origin, and script URLs need one named policy
 * (Trusted Types). Only the decoder's worker compiles WebAssembly, with its own policy.
 */
function scannerHeaders(): Record<string, string> {
  const headers = pageHeaders(newNonce());
  return {
    ...headers,
    'Content-Security-Policy': [
      headers['Content-Security-Policy'],
      "script-src 'self'",
      "worker-src 'self'",
      "connect-src 'self'",
      "manifest-src 'self'",
      "require-trusted-types-for 'script'",
      'trusted-types scanner',
    ].join('; '),
    'Permissions-Policy': 'camera=(self), geolocation=(), microphone=(), payment=(), usb=()',
    Vary: 'Accept-Language, Cookie',
  };
}

/** Texts of the scanner app, in the languages of `PAGE_WORDS`. */
const SCANNER_WORDS = { en, de, fr, es, it, nl };
