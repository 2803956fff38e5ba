import { beforeAll, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration } from '../../support/app-scans.ts';
import { d1 } from '../../support/control.ts';
import { subscribed } from '../../support/webhooks.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

/*
 * The summary of a rejected form names each field by its label, and the field shows its problem, too.
 */

let account: Client;
let owner: Visitor;
let ids = {} as { template: string; pass: string; configuration: string; webhook: string };
beforeAll(async () => {
  account = await freshAccount();
  owner = await visitor(account, ['owner']);
  const sendoutOptions = { adHoc: { subject: 'Yours', emailTemplate: 'Here' } };
  const template = await account.createTemplate({ name: 'Day', preventDownloadWhenActive: true, sendoutOptions });
  const pass = (await account.createPass(template)).identifier;
  await d1('update passes set number_of_active = 1 where id = ?', [pass]);
  const { status } = await account.patch(`/api/v2/pass-template/${template}`, { logoText: 'Night' });
  expect(status).toBe(200);
  ids = {
    template,
    pass,
    configuration: (await createConfiguration(account)).configurationId,
    webhook: (await subscribed(account, 'https://example.com/hook')).identifier,
  };
});

const LONG = 'x'.repeat(3_000);
const PAST = '2020-02-30T25:61';

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#39;/g, "'")
    .replace(/ \(optional\)$/, '')
    .trim();
const textsIn = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, inner]) => textOf(inner!));

/** Returns the labels and the errors of the fields of a page, and its summary of errors. */
function errorsIn(html: string) {
  const [, summary = ''] = /<div class="notice grave" role="alert">(.*?)<\/div>/s.exec(html) ?? [];
  return {
    summary: textsIn(summary, /<li>(.*?)<\/li>/gs),
    labels: [
      ...textsIn(html, /<(?:label|legend)\b[^>]*>(.*?)<\/(?:label|legend)>/gs),
      ...textsIn(html, /<label class="choice">.*?<span>([^<]*)/gs),
    ],
    fields: textsIn(html, /<p class="field-error"[^>]*>(.*?)<\/p>/gs).join('; '),
  };
}

type Sent = Record<string, string> | [string, string][];

interface Rejected {
  form: string;
  at: () => string[];
  sent: Sent | (() => Sent);
  labels: string[];
}

const REJECTED: Rejected[] = [
  {
    form: 'a new app configuration',
    at: () => ['app-configurations'],
    sent: [
      ...(['name', 'place'] as const).map((name) => [name, LONG] as [string, string]),
      ...([
        ['scanMode', '0'],
        ['propertyId', ''],
        ['propertyName', 'Bags'],
        ['propertyType', 'double'],
      ] as [string, string][]),
      ...([
        ['propertyId', ''],
        ['propertyName', LONG],
        ['propertyType', 'double'],
      ] as [string, string][]),
      ...([
        ['ownColors', 'true'],
        ['backgroundColor', 'beige'],
        ['timeToShowAutoSaveConfirmation', '99'],
      ] as [string, string][]),
    ],
    labels: ['Name', 'Place', 'Question 2', 'Background', 'Text', 'Result display time in seconds'],
  },
  {
    form: 'an app configuration with an unknown template',
    at: () => ['app-configurations'],
    sent: { name: 'Door', scanMode: '0', templates: '00000000-0000-7000-8000-000000000000' },
    labels: ['Templates'],
  },
  {
    form: 'a link',
    at: () => ['app-configurations', ids.configuration, 'links'],
    sent: { validTo: PAST },
    labels: ['PIN not required until'],
  },
  {
    form: 'an API key',
    at: () => ['api-keys'],
    sent: { name: LONG, scopes: 'unknown', templateIds: 'unknown', allowedIps: 'here\nthere', lastDay: '' },
    labels: ['Name', 'Scopes', 'Allowed IP addresses', 'Allowed IP addresses'],
  },
  {
    form: 'an API key that ends in the past',
    at: () => ['api-keys'],
    sent: { name: 'Shop', scopes: '*', lastDay: '2020-01-01' },
    labels: ['Expiration date'],
  },
  { form: 'a member', at: () => ['members'], sent: { email: 'nobody' }, labels: ['E-mail address'] },
  {
    form: 'a webhook without an endpoint',
    at: () => ['webhooks'],
    sent: { event: 'pass_created', mode: 'push' },
    labels: ['Endpoint URL'],
  },
  {
    form: 'a webhook with an unknown event',
    at: () => ['webhooks'],
    sent: { event: 'unknown', mode: 'pull', name: LONG },
    labels: ['Event', 'Name'],
  },
  { form: 'a recovery', at: () => ['webhooks', ids.webhook, 'recover'], sent: { since: PAST }, labels: ['From'] },
  {
    form: 'the settings',
    at: () => ['settings'],
    sent: {
      name: '',
      timezone: 'Mars',
      language: 'xx',
      logoUrl: 'logo',
      iconUrl: 'icon',
      replyTo: 'me',
      'retention.scansDays': '0',
    },
    labels: ['Name', 'Time zone', 'Language', 'Logo URL', 'Icon URL', 'Reply-to address', 'Delete scans after (days)'],
  },
  {
    form: 'the passkey setting',
    at: () => ['settings'],
    sent: { name: 'A', timezone: 'UTC', language: 'en', requirePasskey: 'true' },
    labels: ['Require passkeys'],
  },
  { form: 'a template', at: () => ['templates'], sent: { name: LONG, start: 'generic' }, labels: ['Name'] },
  { form: 'a copy', at: () => ['templates', ids.template, 'copy'], sent: { name: LONG }, labels: ['Name of the copy'] },
  { form: 'a project', at: () => ['templates', 'projects'], sent: { name: LONG }, labels: ['Project name'] },
  {
    form: 'a push',
    at: () => ['templates', ids.template, 'notifications'],
    sent: { text: 'Gate 4', date: PAST },
    labels: ['Date and time'],
  },
  {
    form: 'a publication',
    at: () => ['templates', ids.template, 'publish'],
    sent: { when: 'later', date: PAST, version: '1' },
    labels: ['Date and time'],
  },
  { form: 'a bundle', at: () => ['bundles'], sent: { bundleId: '', passes: 'x' }, labels: ['Name'] },
  {
    form: 'a bundle without passes',
    at: () => ['bundles'],
    sent: { bundleId: 'order', passes: '' },
    labels: ['Passes'],
  },
  { form: 'an import', at: () => ['passes', 'import'], sent: () => ({ template: ids.template }), labels: ['CSV file'] },
  {
    form: 'a push to many passes',
    at: () => ['passes', 'bulk'],
    sent: () => ({ action: 'push', pass: ids.pass, text: '' }),
    labels: ['Text'],
  },
  {
    form: 'a color of many passes',
    at: () => ['passes', 'bulk'],
    sent: () => ({ action: 'set', pass: ids.pass, field: 'backgroundColor', 'field-backgroundColor': 'beige' }),
    labels: ['Background color'],
  },
  {
    form: 'a new pass',
    at: () => ['passes'],
    sent: () => ({ template: ids.template, 'field-emailRecipient': 'me', 'field-backgroundColor': 'beige' }),
    labels: ['Background color'],
  },
  { form: 'a person', at: () => ['persons', 'find'], sent: { by: 'unknown', value: 'x' }, labels: ['Find by'] },
  {
    form: 'a person without a value',
    at: () => ['persons', 'find'],
    sent: { by: 'emailRecipient', value: '' },
    labels: ['Value'],
  },
  {
    form: 'a person by an unknown property',
    at: () => ['persons', 'find'],
    sent: { by: 'property.none', value: 'x' },
    labels: ['Find by'],
  },
  {
    form: 'an issuer',
    at: () => ['certificates', 'google'],
    sent: { issuerId: 'me', pasted: '{"client_email":"me","private_key":"x"}' },
    labels: ['Issuer ID', 'Service account key (JSON)'],
  },
  {
    form: 'an issuer without a key',
    at: () => ['certificates', 'google'],
    sent: { issuerId: '1' },
    labels: ['Service account key (JSON)'],
  },
  { form: 'a push of a pass', at: () => ['passes', ids.pass, 'push'], sent: { text: '' }, labels: ['Send push'] },
  {
    form: 'downloads of a pass',
    at: () => ['passes', ids.pass, 'enable-download'],
    sent: { until: PAST },
    labels: ['Allow downloads until'],
  },
  { form: 'a bundle of a pass', at: () => ['passes', ids.pass, 'join'], sent: { bundleId: '' }, labels: ['Bundle'] },
  {
    form: 'an e-mail of a pass',
    at: () => ['passes', ids.pass, 'mail'],
    sent: { recipient: 'me' },
    labels: ['Send by e-mail to'],
  },
];

test.each(REJECTED)('$form names its fields by their labels', async ({ at, sent, labels }) => {
  const reply = await owner.post(consolePath(account, ...at()), typeof sent === 'function' ? sent() : sent);
  expect(reply.status, reply.body).toBe(400);
  const shown = errorsIn(reply.body);
  expect(shown.summary.map((text) => text.split(': ')[0])).toEqual(labels);
  for (const text of shown.summary) {
    const [label, message] = text.split(/: (.*)/s);
    expect(shown.labels).toContain(label);
    expect(shown.fields).toContain(message);
  }
});

test.each(['scans?since=never', 'audit-log?until=never', 'statistics?range=custom&from=never&to=2026-01-01'])(
  'the filter of %s names its fields by their labels',
  async (path) => {
    const reply = await owner.get(consolePath(account, path));
    expect(reply.status).toBe(400);
    const { summary, labels, fields } = errorsIn(reply.body);
    const [label, message] = summary[0]!.split(/: (.*)/s);
    expect(labels).toContain(label);
    expect(fields).toBe(message);
  },
);
