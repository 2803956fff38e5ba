import type { Child } from 'hono/jsx';
import type { Pass } from '../../../domain/passes/table.ts';
import type { SearchChoices } from '../../../domain/search/choices.ts';
import { Badge, formatNumber, type Tone } from '../parts.tsx';
import { LocalTime, Time } from '../time.tsx';

/** Context for drawing cells. */
export interface CellContext {
  /** UTC milliseconds. */
  now: number;
  /** Template names by identifier. */
  templateNames: Map<string, string>;
}

export interface Column {
  key: string;
  title: string;
  isNumber?: boolean;
  cell(pass: Pass, context: CellContext): Child;
}

/** The state of a pass as a badge. */
export function PassState({ pass, now }: { pass: Pass; now: number }) {
  const [tone, title] = stateOf(pass, now);
  return <Badge tone={tone}>{title}</Badge>;
}

function stateOf({ voided, redeemed, expirationAt }: Pass, now: number): [tone: Tone | undefined, title: string] {
  if (redeemed) return ['calm', 'Redeemed'];
  if (voided) return ['grave', 'Voided'];
  if (expirationAt !== null && expirationAt <= now) return ['careful', 'Expired'];
  return ['good', 'Valid'];
}

/** Returns the name of a pass: the owner's identifier, or a generated one. */
export function passTitle({ userProvidedId, generatedId }: Pick<Pass, 'userProvidedId' | 'generatedId'>): string {
  return userProvidedId ?? generatedId;
}

const text = (key: keyof Pass, title: string): Column => ({ key, title, cell: (pass) => pass[key] as string | null });

const time = (key: keyof Pass, title: string, timezone?: string): Column => ({
  key,
  title,
  cell: (pass) => pass[key] !== null && <Time at={pass[key] as number} timezone={timezone} />,
});

/** `timezone`: that of the template, in the list of a single template. */
const builtIn = (timezone: string | undefined): Column[] => [
  { key: 'templateId', title: 'Template', cell: (pass, { templateNames }) => templateNames.get(pass.templateId) },
  { key: 'state', title: 'State', cell: (pass, { now }) => <PassState pass={pass} now={now} /> },
  {
    key: 'numberOfActive',
    title: 'Devices',
    isNumber: true,
    cell: (pass) => formatNumber(pass.numberOfActive),
  },
  time('createdAt', 'Created'),
  time('modifiedAt', 'Changed'),
  text('generatedId', 'Readable identifier'),
  text('barcodeValue', 'Barcode value'),
  { key: 'storedValue', title: 'Stored value', isNumber: true, cell: (pass) => pass.storedValue?.toLocaleString('en') },
  text('emailRecipient', 'E-mail'),
  text('phoneRecipient', 'Phone'),
  text('bundleId', 'Bundle'),
  text('groupingIdentifier', 'Grouping identifier'),
  time('validAsOfAt', 'Valid from', timezone),
  time('expirationAt', 'Expires', timezone),
  time('firstDownloadedAt', 'First added to a wallet'),
  time('lastUsageAt', 'Last scanned'),
];

const USUAL = ['templateId', 'state', 'numberOfActive', 'createdAt'];
/** Number of a template's data fields that are shown by default. */
const OWN_USUAL_MAX = 2;

/** Returns all columns except those `hidden` from the viewer. A template's own fields come first. */
export function allColumns(definition: SearchChoices['definition'], hidden: Set<string>): Column[] {
  const own = (definition?.additionalProperties ?? []).map(
    ({ id, name, type }): Column => ({
      key: id,
      title: name,
      isNumber: type === 'number',
      cell: ({ properties }) => shownValue(type, properties[id]),
    }),
  );
  return [...own, ...builtIn(definition?.timezone ?? undefined)].filter(({ key }) => !hidden.has(key));
}

function shownValue(type: string, value: string | boolean | undefined) {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return value && type.startsWith('date') ? <LocalTime text={value} /> : value;
}

/**
 * Returns the chosen columns, or the default ones. In the list of one template, its first own fields replace the
 * template column.
 */
export function chosenColumns(
  definition: SearchChoices['definition'],
  chosen: string[],
  hidden: Set<string>,
): Column[] {
  const all = allColumns(definition, hidden);
  const known = all.filter(({ key }) => chosen.includes(key));
  if (known.length > 0) return known;
  const ownKeys = new Set(definition?.additionalProperties.map(({ id }) => id));
  const own = all.filter(({ key }) => ownKeys.has(key)).slice(0, OWN_USUAL_MAX);
  const usual = builtIn(undefined).filter(({ key }) => USUAL.includes(key) && !(definition && key === 'templateId'));
  return [...own, ...usual];
}
