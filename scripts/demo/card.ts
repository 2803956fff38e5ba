import { IMAGE_ROLES, type ImageRole, type StoredImage } from '../../src/domain/images/stored-image.ts';
import type { Card } from '../../src/domain/passes/card/card.ts';
import { fillPlaceholders } from '../../src/domain/passes/card/placeholders.ts';
import { resolveCard } from '../../src/domain/passes/card/resolve-card.ts';
import type { Pass } from '../../src/domain/passes/table.ts';
import { FlightFields } from '../../src/domain/passes/values/pass-fields.ts';
import { schemeOf } from '../../src/domain/templates/apple/schemes.ts';
import { type StoredDefinition, TemplateDefinition } from '../../src/domain/templates/definition.ts';
import { mapImages, withoutNulls } from '../../src/domain/templates/google/members.ts';
import { parseDateTime } from '../../src/platform/dates.ts';
import type { Env } from '../../src/platform/env.ts';
import { demoPassData } from './passes.ts';
import { type DemoKey, demoTemplates } from './templates.ts';

/** Stores a definition's image, given as base64. */
export type StoreImage = (
  source: string,
  role: ImageRole,
  shownOn: { type: TemplateDefinition['type']; scheme: string | undefined },
) => StoredImage | Promise<StoredImage>;

export interface DemoCard {
  key: DemoKey;
  definition: TemplateDefinition;
  card: Card;
}

const ORIGIN = 'https://passes.example.com';
/** A rotating code's key, 20 bytes in hexadecimal. A real pass has a random one. */
const ROTATING_KEY = '0123456789abcdef0123456789abcdef01234567';

/** Builds the card of each demo template's example pass, without a service. */
export async function demoCards(store: StoreImage): Promise<DemoCard[]> {
  const cards: DemoCard[] = [];
  for (const { key, definition: said } of await demoTemplates()) {
    const definition = TemplateDefinition.parse(said);
    cards.push({ key, definition, card: cardOf(key, await stored(definition, store)) });
  }
  return cards;
}

async function stored(definition: TemplateDefinition, store: StoreImage): Promise<StoredDefinition> {
  const { images, additionalProperties, google, ...rest } = definition;
  const shownOn = { type: definition.type, scheme: schemeOf(definition) };
  const put = async (source: string, role: ImageRole) => [source, await store(source, role, shownOn)] as const;
  const own = IMAGE_ROLES.flatMap((role) => (images[role] ? put(images[role], role) : []));
  const googles: ReturnType<typeof put>[] = [];
  if (google) mapImages(google, (source) => googles.push(put(source, 'logo')));
  const ofGoogle = new Map(await Promise.all(googles));
  const kept = new Map(await Promise.all(own));
  const roles = IMAGE_ROLES.flatMap((role) => (images[role] ? [[role, kept.get(images[role])]] : []));
  return {
    ...rest,
    images: { ...Object.fromEntries(roles), perPassImages: images.perPassImages },
    additionalProperties: additionalProperties.map((property, i) => ({ ...property, id: propertyId(i) })),
    ...(google && { google: withoutNulls(mapImages(google, (source) => ofGoogle.get(source)!)) }),
  };
}

const propertyId = (i: number) => `65f0c2a81b3d4.${String(i).padStart(8, '0')}`;

function cardOf(key: DemoKey, definition: StoredDefinition): Card {
  const data = demoPassData(key);
  const timezone = definition.timezone ?? 'UTC';
  const moment = (text: unknown) => (typeof text === 'string' ? (parseDateTime(text, timezone) ?? null) : null);
  const properties = definition.additionalProperties.map((one) => [one.id, data[one.name] ?? one.default ?? '']);
  // Only the columns of a pass that a card reads.
  const pass = {
    id: '0198f000-0000-7000-8000-000000000000',
    templateId: '0198f000-0000-7000-8000-000000000200',
    barcodeValue: 'DEMO7K2P9X4M8Q1T',
    properties: Object.fromEntries(properties),
    appearance: {},
    flight: definition.transitType === 'PKTransitTypeAir' ? FlightFields.parse(data) : null,
    storedValue: data.storedValue ?? null,
    groupingIdentifier: data.groupingIdentifier ?? null,
    relevantAt: moment(data.relevantDate),
    expirationAt: moment(data.expirationDate),
    createdAt: Date.UTC(2026, 10, 2),
    modifiedAt: Date.UTC(2026, 10, 2),
    authenticationToken: 'vxwxd7J8AlNNFPS8k0a0FfUFtq0ewzFdc',
    lastUsageAt: null,
    secrets: null,
    version: 1,
    revision: 1,
  } as unknown as Pass;
  const account = { id: '0198f000-0000-7000-8000-000000000100', timezone: 'UTC', language: 'en' };
  const links = { baseUrl: ORIGIN, env: {} as Env };
  const code = fillPlaceholders(definition.barcode.value, { pass, definition, timezone, links });
  if (code !== '') pass.barcodeValue = code;
  const card = resolveCard({ account, pass, definition, templateVersion: 1, links });
  const { barcode } = card;
  if (!barcode?.rotating) return card;
  return { ...card, barcode: { ...barcode, rotating: { ...barcode.rotating, key: ROTATING_KEY } } };
}
