import { type Client, freshAccount } from './api.ts';
import { eventually } from './control.ts';
import type { TemplateInput } from './samples.ts';
import { deliveriesOf, subscribed } from './webhooks.ts';

/** An account with one of every object that a path or body can name. */
export interface FuzzAccount {
  client: Client;
  templates: string[];
  passes: string[];
  /** Names of all other objects, by the path segment before them. */
  others: Record<string, string[]>;
}

/** The first has a property of each type, including those in the contract's examples; the second is for flights. */
const TEMPLATES: Partial<TemplateInput>[] = [
  {
    additionalProperties: [
      { name: 'Passenger' },
      { name: 'Coach', type: 'number' },
      { name: 'Plate', unique: true },
      { name: 'Seat', type: 'select', options: ['Window', 'Aisle'] },
      { name: 'Paid', type: 'checkbox' },
      { name: 'Born', type: 'date' },
      { name: 'constructor', type: 'textarea' },
    ],
    fields: {
      headerFields: [{ key: 'constructor', label: '{Seat}', value: '{constructor}' }],
      primaryFields: [{ key: 'toString', label: 'valueOf', value: '{Passenger}' }],
      secondaryFields: [{ key: 'coach', type: 'number', label: '{Plate}', value: '{Coach}' }],
      backFields: [{ key: 'born', type: 'date', label: '{Paid}', value: '{Born}' }],
    },
    translations: { de: { constructor: 'valueOf' } },
    barcode: { format: 'qr', value: '{Passenger}{constructor}{__proto__}' },
    images: { perPassImages: { thumbnail: true, background: true, logo: true } },
    translationsEnabled: true,
    downloadPinEnabled: true,
    validValidationPlaces: ['Gate'],
    enforceUniqueUserProvidedId: true,
  },
  { type: 'boardingPass', transitType: 'PKTransitTypeAir', groupingIdentifierEnabled: true },
];

const NOTIFICATION = { pushNotificationText: 'Soon', publicationDate: '2099-01-01 10:00' };

/**
 * Creates an account with two templates in a project, six passes in two bundles and more. Add what a new route needs
 * here.
 */
export async function fuzzAccount(): Promise<FuzzAccount> {
  const client = await freshAccount();
  const project = (await client.post('/api/v3/project', { name: 'Fuzz' })).body.data.identifier;
  const templates = await Promise.all(TEMPLATES.map((one) => client.createTemplate({ ...one, projectId: project })));
  const subscription = await subscribed(client, 'https://nobody.example.com/hook');
  const names = Array.from({ length: 6 }, (_, i) => ({ userProvidedId: `name-${i}`, bundleId: `bundle-${i % 2}` }));
  const passes = await Promise.all(
    names.map((fields) => createQuickly(client, { templateId: templates[0]!, ...fields })),
  );
  const scanner = {
    name: 'Gate',
    scanMode: 1,
    place: 'Gate',
    additionalProperties: [{ name: 'Bags', type: 'double' }],
  };
  const [notification, process, customer, configuration] = await Promise.all([
    client.post(`/api/pass-template/${templates[0]}/notification`, NOTIFICATION),
    client.patch('/api/v3/pass/bulk', { data: { storedValue: 1 }, filter: { identifiers: [passes[0]!] } }),
    client.post('/api/customer', { company_name: 'Sub', last_name: 'Lovelace' }),
    client.post('/api/appconfiguration', scanner),
  ]);
  const { configurationId } = configuration.body.configuration[0];
  const link = await client.post(`/api/appconfiguration/${configurationId}/link`, {});
  const key = await client.post('/api/v3/api-key', { name: 'Fuzz' });
  const segment = await client.post('/api/v3/segment', { title: 'Fuzz', query: { searchPhrase: 'name' } });
  const [delivery] = await eventually(async () => {
    const list = await deliveriesOf(client, subscription.identifier);
    return list.length > 0 && list;
  });
  return {
    client,
    templates,
    passes,
    others: {
      'pass-bundle': ['bundle-0', 'bundle-1'],
      void: ['bundle-0', 'bundle-1'],
      project: [project],
      notification: [notification.body.notificationId],
      process: [process.body.data.processId],
      customer: [customer.body.customer_identifier],
      appconfiguration: [configurationId],
      list: [configurationId],
      link: [link.body.identifier],
      'api-key': [key.body.data.identifier],
      segment: [segment.body.data.identifier],
      hook: [subscription.identifier],
      deliveries: [delivery!.deliveryId],
    },
  };
}

/** Fewer than a key may send in a minute. */
const REQUESTS_MAX = 350;

/** Accounts for several random tests each: filling one takes as long as the requests of a test. */
export class SharedFuzzAccounts {
  #account?: Promise<FuzzAccount>;
  #left = 0;

  /** Returns an account for a test with this number of requests. */
  next(requests: number): Promise<FuzzAccount> {
    if (!this.#account || this.#left < requests) {
      this.#account = fuzzAccount();
      this.#left = REQUESTS_MAX;
    }
    this.#left -= requests;
    return this.#account;
  }
}

/** Creates a pass through v3, which unlike v1 signs no file and draws no image: a third of the time. */
async function createQuickly(client: Client, data: Record<string, unknown>): Promise<string> {
  const reply = await client.post('/api/v3/pass', { data });
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return reply.body.data.identifier;
}

/** Returns a body's example with this account's identifiers, as far as members' names reveal what they are. */
export function localized(example: unknown, account: FuzzAccount, key = ''): unknown {
  if (Array.isArray(example)) return example.map((item) => localized(item, account, key));
  if (example !== null && typeof example === 'object') {
    return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, localized(value, account, name)]));
  }
  if (typeof example !== 'string') return example;
  if (/template(Id|_id)?$/i.test(key)) return account.templates[0];
  if (key === 'appConfigurationId') return account.others.appconfiguration?.[0];
  if (/^projectId$/.test(key)) return account.others.project?.[0];
  if (key === 'segmentId') return account.others.segment?.[0];
  if (key === 'upTo') return account.others.payload?.[0] ?? example;
  if (/^(identifiers?|passes|passId|listOfPasses)$/i.test(key)) return account.passes[0];
  return example;
}

/** Returns values for a path parameter, by its name or the segment before it. */
export function namesFor(account: FuzzAccount, parameter: string, before: string): string[] {
  if (/template/i.test(parameter) || before === 'pass-template') return account.templates;
  if (parameter === 'configuration') return account.others.appconfiguration ?? [];
  if (parameter === 'customer') return account.others.customer ?? [];
  if (['pass', 'geturis', 'deliver'].includes(before)) return [...account.passes, 'name-0'];
  return account.others[before] ?? [...account.templates, ...account.passes, ...Object.values(account.others).flat()];
}
