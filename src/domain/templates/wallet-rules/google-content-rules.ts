import { type Linted, type Note, reference } from './finding.ts';
import { sizeIn } from './image-sizes.ts';

const BRAND = 'https://developers.google.com/wallet/generic/resources/brand-guidelines';

/** Kinds whose class has only one logo, which is required. */
const NEEDS_LOGO: Linted['kind'][] = ['loyalty', 'transit'];

/** Minimum size that Google requires; it masks logos to a circle. */
const LOGO_SIDE_MIN = 660;
/** Width-to-height ratio of a wide logo (1280 x 400) and of a hero image ("3:1 or wider"). */
const WIDE_LOGO_RATIO = 3.2;
const HERO_RATIO = 3;
/** Deviation of a ratio up to which Google's crop isn't noticeable. */
const TOLERANCE = 0.1;

/** Checks for logos that Google requires, and for images that it would crop. */
export function noteImages({ definition, google, kind, sizes }: Linted, note: Note): void {
  const sizeOf = (image: unknown) => sizeIn(sizes, image);
  const { logo, icon, strip, background } = definition.images as Record<string, unknown>;
  const hint = (path: string, message: string) => note('hint', path, message, BRAND);
  if (NEEDS_LOGO.includes(kind) && !logo && !icon)
    note('error', 'images.logo', 'Google requires a logo for this kind of pass', reference(`${kind}class`));
  const logoPath = logo ? 'images.logo' : 'images.icon';
  const round = sizeOf(logo ?? icon);
  if (round && Math.min(round.width, round.height) < LOGO_SIDE_MIN) {
    hint(logoPath, `should have at least ${LOGO_SIDE_MIN} x ${LOGO_SIDE_MIN} pixels for Google`);
  }
  if (round && Math.abs(round.width / round.height - 1) > TOLERANCE) {
    hint(logoPath, 'should be square, because Google masks it to a circle');
  }
  const wide = sizeOf(google.wideLogo);
  if (wide && Math.abs(wide.width / wide.height / WIDE_LOGO_RATIO - 1) > TOLERANCE) {
    hint('google.wideLogo', 'should have 1280 x 400 pixels, or the same shape');
  }
  const hero = sizeOf(strip ?? background);
  if (hero && hero.width / hero.height < HERO_RATIO * (1 - TOLERANCE)) {
    const path = strip ? 'images.strip' : 'images.background';
    hint(path, 'should be at least three times as wide as it is high, such as 1032 x 336');
  }
}

const MODULE_PATH = /^object\.textModulesData\['([^']*)'\]/;

/** Finds field paths of a layout that name text modules which no pass of the template has. */
export function noteReferences({ definition, google }: Linted, note: Note): void {
  // A field without a key is stored with a key of its list and position.
  const keys = Object.entries(definition.fields).flatMap(([list, items]) =>
    items.map(({ key, index }, i) => (key ?? `${list}${index ?? i}`).replaceAll(/[^A-Za-z0-9_-]/g, '_')),
  );
  const ids = new Set([...keys, ...(google.textModulesData ?? []).map(({ id }) => id)]);
  for (const [path, fieldPath] of fieldPaths('google.classTemplateInfo', google.classTemplateInfo)) {
    const [, id] = MODULE_PATH.exec(fieldPath) ?? [];
    if (id === undefined || ids.has(id)) continue;
    const message = `names the text module "${id}", which is neither a field nor a module in google.textModulesData`;
    note('warning', path, message, reference('ClassTemplateInfo'));
  }
}

function fieldPaths(path: string, value: unknown): [path: string, fieldPath: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]): [string, string][] =>
    name === 'fieldPath' ? [[`${path}.fieldPath`, String(part)]] : fieldPaths(`${path}.${name}`, part),
  );
}
