import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { clientFile } from '../platform/client-files.ts';
import { hex } from '../platform/ids.ts';
import { textDirection } from './language.ts';

/** The page background of `tokens.css`, for the browser's toolbars. */
const THEME_COLORS = { light: '#f4f4f6', dark: '#0e0f12' };

interface LayoutProps {
  language: string;
  title: string;
  description?: string;
  /** Name of the stylesheet for `clientFile`, such as `console/styles.css`. */
  stylesheet: string;
  /** Address of an icon on this origin. */
  icon?: string;
  /** CSS rules of this page, such as the colors of a card, with the nonce of the reply's headers. */
  styles?: { nonce: string; css: string };
  /** More content for the head. */
  head?: Child;
  children: Child;
}

/** The frame of all pages: head, language and stylesheet. Nothing is loaded from other origins. */
export function Layout(props: LayoutProps) {
  const { language, title, description, stylesheet, icon, styles, head } = props;
  return (
    <>
      {raw('<!DOCTYPE html>')}
      <html lang={language} dir={textDirection(language)}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
          <meta name="color-scheme" content="light dark" />
          <meta name="theme-color" content={THEME_COLORS.light} media="(prefers-color-scheme: light)" />
          <meta name="theme-color" content={THEME_COLORS.dark} media="(prefers-color-scheme: dark)" />
          <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
          <title>{title}</title>
          {description && <meta name="description" content={description} />}
          <link rel="icon" href={icon ?? 'data:,'} />
          <link rel="stylesheet" href={clientFile(stylesheet).path} />
          {styles && <style nonce={styles.nonce}>{raw(styles.css)}</style>}
          {head}
        </head>
        <body>{props.children}</body>
      </html>
    </>
  );
}

const NONCE_BYTES = 16;

/** Returns a new CSP nonce for one reply. */
export const newNonce = (): string => hex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));

/**
 * Returns the headers of all pages: no scripts, no frames, nothing from other origins. Pages are personal, so caches
 * and search engines must not store them.
 */
export function pageHeaders(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Robots-Tag': 'noindex, nofollow',
    'Cache-Control': 'private, no-store',
  };
}
