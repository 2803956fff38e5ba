import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1, eventually } from '../../support/control.ts';
import { type OutsideServer, openOutsideServer } from '../../support/outside-server.ts';
import { deliveriesOf, subscribed, told, webhookId } from '../../support/webhooks.ts';

let client: Client;
let templateId: string;
let receiver: OutsideServer;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
  receiver = await openOutsideServer();
});
afterAll(() => receiver?.close());

const target = (path: string) => `${receiver.origin}/${path}`;
const at = (path: string) => (request: { path: string }) => request.path === `/${path}`;

describe('a subscription', () => {
  test('is told of its event, and of nothing else', async () => {
    const { identifier } = await subscribed(client, target('told'));
    const pass = await client.createPass(templateId, { userProvidedId: 'told-1', 'Full name': 'Ada' });
    await client.put(`/api/pass/${pass.identifier}`, { voided: true });
    const other = await client.createPass(templateId, { userProvidedId: 'told-2' });
    const requests = await receiver.received(2, at('told'));
    expect(requests.map((request) => told(request).identifier).sort()).toEqual(
      [pass.identifier, other.identifier].sort(),
    );
    const first = requests.find((request) => told(request).identifier === pass.identifier)!;
    expect(told(first)).toMatchObject({ userProvidedId: 'told-1', genericProperties: { 'Full name': 'Ada' } });
    expect(first.method).toBe('POST');
    expect(first.headers).toMatchObject({ 'content-type': 'application/json', 'x-event-type': 'pass_created' });
    const list = await eventually(async () => {
      const all = await deliveriesOf(client, identifier);
      return all.every(({ state }) => state === 'delivered') && all;
    });
    expect(list.map(({ deliveryId }) => deliveryId).sort()).toEqual(requests.map(webhookId).sort());
    await client.delete(`/api/hook/${identifier}`);
  });
});
