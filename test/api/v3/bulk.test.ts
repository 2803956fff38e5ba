import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { allLogged, d1, eventually } from '../../support/control.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

test('smoke', async () => {
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push((await client.createPass(templateId, { userProvidedId: `s${i}` })).identifier);
  const reply = await client.patch('/api/v3/pass/bulk', {
    data: { storedValue: 5, 'Full name': 'Ada' },
    filter: { identifiers: [...ids, 'nobody', ids[0]] },
  });
  console.log(JSON.stringify(reply.body));
  expect(reply.status).toBe(202);
  await new Promise((r) => setTimeout(r, 3000)); console.log(await allLogged({ event: 'process-range' }), await allLogged({ event: 'process' }));
  const done = await eventually(async () => {
    const p = await client.get(`/api/v3/process/${reply.body.data.processId}`);
    return p.body.data.status !== 'in progress' && p.body;
  });
  console.log(JSON.stringify(done));
  console.log(await d1('select id, version, stored_value, properties from passes where template_id = ?', [templateId]));
  console.log(await d1('select type, count(*) from events where template_id = ? group by 1', [templateId]));
  console.log(await d1('select * from applied_items where process_id = ?', [reply.body.data.processId]));
});
