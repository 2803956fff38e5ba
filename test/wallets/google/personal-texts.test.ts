import { expect, test } from 'vitest';
import { resolveCard } from '../../../src/domain/passes/card/resolve-card.ts';
import type { Pass } from '../../../src/domain/passes/table.ts';
import { type StoredDefinition, TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import type { Env } from '../../../src/platform/env.ts';
import { buildClass } from '../../../src/wallets/google/pass-class.ts';
import { buildObject } from '../../../src/wallets/google/pass-object.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';
import { BASE_URL, ISSUER_ID } from './signer.ts';

const OPTIONS = { issuerId: ISSUER_ID, baseUrl: BASE_URL };
const PASS = {
  id: 'pass',
  userProvidedId: 'Ada-1',
  emailRecipient: 'ada@example.com',
  barcodeValue: 'Ada-0815',
  flight: { seatNumber: 'Ada-12A' },
  appearance: {},
};

/** Returns what Google receives for a pass: its class and object, as JSON. */
function sentOf(overrides: Partial<TemplateInput>, name = 'Ada Lovelace', stored: Partial<StoredDefinition> = {}) {
  const template = TemplateDefinition.parse(sampleTemplate(overrides)) as unknown as StoredDefinition;
  const parsed = { ...template, ...stored };
  const additionalProperties = parsed.additionalProperties.map((one, i) => ({ ...one, id: `p${i}` }));
  const card = resolveCard({
    account: { id: 'account', timezone: 'UTC', language: 'en' },
    pass: { ...PASS, properties: { p0: name, p1: 'Opera' } } as unknown as Pass,
    definition: { ...parsed, additionalProperties },
    templateVersion: 1,
    links: { baseUrl: BASE_URL, env: {} as Env },
  });
  return [buildClass(card, OPTIONS), buildObject(card, OPTIONS)].map(({ resource }) => JSON.stringify(resource));
}

const title = (value: string): Partial<TemplateInput> => ({
  fields: { primaryFields: [{ key: 'title', type: 'text', label: 'Title', value }] },
  additionalProperties: [
    { name: 'Full name', type: 'text', personal: true },
    { name: 'Event', type: 'text' },
  ],
});

test('a class whose texts are all personal is named by its template', () => {
  const texts = { name: 'Gold', organizationName: '{Full name}', description: '{Full name}' };
  const [offer] = sentOf({ type: 'coupon', ...title('{Full name}'), ...texts });
  expect(JSON.parse(offer!)).toMatchObject({ title: 'Gold', provider: 'Gold', issuerName: 'Gold' });
  const [event] = sentOf({ type: 'eventTicket', ...title('{Full name}'), ...texts });
  expect(JSON.parse(event!).eventName.defaultValue.value.trim()).toMatch(/./);
});

test.each(['coupon', 'eventTicket'] as const)(
  'personal placeholders of a %s are in its object, and not in its class, which is shared',
  (type) => {
    const template = { type, ...title('{Full name}, {emailRecipient}'), logoText: 'Card of {userProvidedId}' };
    const [shared, own] = sentOf(template);
    expect(shared).not.toMatch(/Ada|ada@/);
    expect(own).toContain('Ada Lovelace, ada@example.com');
    expect(sentOf(template, 'Grace Hopper')[0]).toBe(shared);
  },
);

test('other placeholders stay in the class', () => {
  const [shared] = sentOf({ type: 'eventTicket', ...title('{Event}') });
  expect(shared).toContain('Opera');
});

test('a venue and times from before the rule about them leave out personal values', () => {
  const google = {
    venue: { name: 'Hall {Event} {barcodeValue}', address: 'Seat {seatNumber}, {Full name}' },
    dateTime: { doorsOpen: '2026-12-24 09:10', customDoorsOpenLabel: '{userProvidedId}' },
  } as StoredDefinition['google'];
  const template: Partial<TemplateInput> = { type: 'eventTicket', ...title('Gala') };
  const [shared] = sentOf(template, 'Ada Lovelace', { google });
  expect(shared).not.toContain('Ada');
  expect(shared).toContain('"Hall Opera "');
  expect(sentOf(template, 'Grace Hopper', { google })[0]).toBe(shared);
});

test('a personal placeholder that only a translation has is not in the class', () => {
  const translations = { de: { Gala: 'Gala für {Full name}' } };
  const [shared, own] = sentOf({ type: 'eventTicket', ...title('Gala'), translationsEnabled: true, translations });
  expect(shared).not.toContain('Ada');
  expect(own).toContain('Gala für Ada Lovelace');
});
