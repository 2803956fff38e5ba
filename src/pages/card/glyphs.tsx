import type { TransitType } from '../../domain/templates/definition.ts';

/* All glyphs are drawn on a grid of 24 × 24 and take the color of the surrounding text. */

const TRANSIT_PATHS: Record<TransitType, string> = {
  PKTransitTypeAir:
    'M22.5 12c0-1-1-1.7-2.2-1.7h-5.1L9.4 2.4H7l2.6 7.9H5.2L3.3 7.9H1.5L2.6 12l-1.1 4.1h1.8l1.9-2.4h4.4L7 21.6h2.4l5.8-7.9h5.1c1.2 0 2.2-.7 2.2-1.7Z',
  PKTransitTypeTrain:
    'M8 2h8a4 4 0 0 1 4 4v9.5a3.5 3.5 0 0 1-2.7 3.4L19 22h-2.5l-1.6-3H9.1l-1.6 3H5l1.7-3.1A3.5 3.5 0 0 1 4 15.5V6a4 4 0 0 1 4-4Zm-1.8 4.5v4.7h11.6V6.5ZM8 13.2a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm8 0a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z',
  PKTransitTypeBus:
    'M6 3h12a2.5 2.5 0 0 1 2.5 2.5V18a1 1 0 0 1-1 1H19v1.5a1 1 0 0 1-1 1h-1a1 1 0 0 1-1-1V19H8v1.5a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V19h-.5a1 1 0 0 1-1-1V5.5A2.5 2.5 0 0 1 6 3Zm-.3 4v6.2h12.6V7Zm1.6 7.7a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6Zm9.4 0a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6ZM8.5 4.4v1.2h7V4.4Z',
  PKTransitTypeBoat:
    'M11.2 2v11H4.5c2.8-2.6 5.2-6.3 6.7-11Zm1.8 2.5c3.2 1.9 5.3 4.7 6.3 8.5H13ZM2.5 15h19l-1.7 3.6c-.6 1.2-1.7 1.9-3 1.9H7.2c-1.3 0-2.4-.7-3-1.9Z',
  PKTransitTypeGeneric: 'M13.6 4.5 21 12l-7.4 7.5-1.7-1.7 4.6-4.6H3v-2.4h13.5l-4.6-4.6Z',
};

const ICON_PATHS = {
  wallet:
    'M5.5 4h12A2.5 2.5 0 0 1 20 6.5V7h.2A1.8 1.8 0 0 1 22 8.8v9.4a1.8 1.8 0 0 1-1.8 1.8H5a3 3 0 0 1-3-3V7.5A3.5 3.5 0 0 1 5.5 4Zm0 1.8a1.7 1.7 0 0 0-1.7 1.7v.1c.4-.4.9-.6 1.5-.6h12.9v-.5c0-.4-.3-.7-.7-.7Zm12 6.2a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z',
  cards:
    'M6.5 3h11A1.5 1.5 0 0 1 19 4.5H5A1.5 1.5 0 0 1 6.5 3ZM5 6h14a1.5 1.5 0 0 1 1.5 1.5h-17A1.5 1.5 0 0 1 5 6ZM4.5 9h3.7c.5 0 .9.3 1.1.7a3 3 0 0 0 5.4 0c.2-.4.6-.7 1.1-.7h3.7A2.5 2.5 0 0 1 22 11.5v7a2.5 2.5 0 0 1-2.5 2.5h-15A2.5 2.5 0 0 1 2 18.5v-7A2.5 2.5 0 0 1 4.5 9Z',
  print:
    'M7 2.5h10a1 1 0 0 1 1 1V7h1.5A2.5 2.5 0 0 1 22 9.5v6a2.5 2.5 0 0 1-2.5 2.5H18v2.5a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V18H4.5A2.5 2.5 0 0 1 2 15.5v-6A2.5 2.5 0 0 1 4.5 7H6V3.5a1 1 0 0 1 1-1Zm1 2V7h8V4.5Zm0 10v5h8v-5Z',
  download: 'M11 3h2v9.2l3.3-3.3 1.4 1.4L12 16l-5.7-5.7 1.4-1.4 3.3 3.3ZM4 18.5h16v2H4Z',
  notice:
    'M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20Zm-1.1 4.5.3 7h1.6l.3-7ZM12 15.2a1.25 1.25 0 1 0 0 2.5 1.25 1.25 0 0 0 0-2.5Z',
};

function Glyph({ path, name }: { path: string; name: string }) {
  return (
    <svg class={`glyph glyph-${name}`} viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path d={path} fill="currentColor" fill-rule="evenodd" />
    </svg>
  );
}

/** The vehicle between origin and destination, pointing to the right. */
export function TransitGlyph({ type }: { type: TransitType | undefined }) {
  return <Glyph path={TRANSIT_PATHS[type ?? 'PKTransitTypeGeneric']} name="transit" />;
}

/** A decorative icon beside a text. Screen readers skip it. */
export function Icon({ name }: { name: keyof typeof ICON_PATHS }) {
  return <Glyph path={ICON_PATHS[name]} name={name} />;
}
