import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTokens } from '../../../../src/domain/passes/page/links.ts';
import { sampleTemplate } from '../../../support/samples.ts';
import { ServiceInProcess } from '../../../support/service-in-process.ts';

const PASS_TYPE_ID = 'pass.com.example.registrations';

let service: ServiceInProcess;
beforeEach(async () => {
  service = await new ServiceInProcess().open();
  await service.importCertificate(PASS_TYPE_ID);
});
afterEach(() => service.close());

test('registering three hundred times is one registration', async () => {
  const { body: template } = await service.request('POST', '/api/v2/pass-template', sampleTemplate());
  const data = { templateId: template.data.identifier };
  const id: string = (await service.request('POST', '/api/v3/pass', { data })).body.data.identifier;
  const [row] = await service.rows<{ id: string; secrets: string }>('select id, secrets from passes');
  const { authentication } = openTokens(service.env, row as Parameters<typeof openTokens>[1]);
  const path = `/wallet/apple/v1/devices/device-1/registrations/${PASS_TYPE_ID}/${id}`;
  const register = () =>
    service.send('POST', path, JSON.stringify({ pushToken: 'abcdef0123456789' }), {
      Authorization: `ApplePass ${authentication}`,
    });
  const statuses: number[] = [];
  for (let sent = 0; sent < 300; sent += 100) {
    const replies = await Promise.all(Array.from({ length: 100 }, register));
    statuses.push(...replies.map(({ status }) => status));
  }
  expect(statuses.sort()).toEqual([...Array(299).fill(200), 201]);
  expect(await service.rows('select number_of_active as active, number_of_inactive as inactive from passes')).toEqual([
    { active: 1, inactive: 0 },
  ]);
  expect(await service.count('select count(*) from registrations')).toBe(1);
  const events = "select type from account_events where type like '%pushnotification_registered' order by id";
  expect(await service.rows(events)).toEqual([
    { type: 'pushnotification_registered' },
    { type: 'first_pushnotification_registered' },
  ]);
});
