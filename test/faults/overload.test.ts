import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* D1 fails for longer than the service retries. Callers learn when to retry, where that is safe. */

let service: ServiceInProcess;
let templateId: string;
let passId: string;

beforeEach(async () => {
  service = await new ServiceInProcess({ d1OneIn: 1 }).open();
  templateId = (await service.request('POST', '/api/v2/pass-template', sampleTemplate({}))).body.data.identifier;
  passId = (await service.request('POST', '/api/v3/pass', { data: { templateId } })).body.data.identifier;
  service.begin();
});
afterEach(() => service.close());

const KEY = { 'Idempotency-Key': 'overloaded' };
const newPass = () => ({ data: { templateId, userProvidedId: 'one' } });

describe('while every round trip to D1 fails', () => {
  test.each<[string, string, () => object | undefined, Record<string, string>]>([
    ['GET', '/api/pass/', () => undefined, {}],
    ['GET', '/api/v3/pass/', () => undefined, {}],
    ['DELETE', '/api/pass/', () => undefined, {}],
    ['PUT', '/api/pass/', () => ({ voided: true }), {}],
    ['POST', '/api/v3/pass', newPass, KEY],
  ])('%s %s is answered with 503 and Retry-After', async (method, path, body, headers) => {
    const address = path.endsWith('/') ? path + passId : path;
    const reply = await service.request(method, address, body(), headers);
    expect([reply.status, reply.headers.get('Retry-After')]).toEqual([503, '5']);
    const message = reply.body.ErrorMessage ?? reply.body.errors[0];
    expect(message).toMatch(/^The service is overloaded; try again soon \(request [\w-]+\)$/);
  });

  test.each<[string, string, () => object]>([
    ['POST', '/api/v3/pass', newPass],
    ['PATCH', '/api/v3/pass/', () => ({ data: { userProvidedId: 'two' } })],
  ])('%s %s without a key is a 500: a repeat might do it twice', async (method, path, body) => {
    const reply = await service.request(method, path.endsWith('/') ? path + passId : path, body());
    expect([reply.status, reply.headers.get('Retry-After')]).toEqual([500, null]);
  });
});

test('a create repeated with its key when D1 works again is done once', async () => {
  const send = () => service.request('POST', '/api/v3/pass', newPass(), KEY);
  expect((await send()).status).toBe(503);
  service.end();
  const replies = [await send(), await send()];
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(await service.count("select count(*) from passes where user_provided_id = 'one'")).toBe(1);
});

test('a request beyond a rate limit, repeated with its key a minute later, is done', async () => {
  service.end();
  const subscription = { target_url: 'https://hooks.example.com/', event: 'pass_created' };
  await service.request('POST', '/api/hook/subscribe', subscription);
  const [{ identifier }] = (await service.request('GET', '/api/hook/list')).body;
  const send = (success: boolean) => {
    service.env.RECIPIENT_RATE_LIMITER = { limit: async () => ({ success }) };
    return service.request('POST', `/api/hook/${identifier}/test`, undefined, KEY);
  };
  const refused = await send(false);
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
  expect(Math.floor((await send(true)).status / 100)).toBe(2);
});
