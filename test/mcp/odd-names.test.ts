import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { type Assistant, assistantOf } from '../support/mcp.ts';

/* Arguments that need escaping in a URL or header must not turn a call into another one. */

let client: Client;
let assistant: Assistant;
let templateId: string;

beforeAll(async () => {
  client = await freshAccount();
  assistant = await assistantOf(client);
  templateId = await client.createTemplate();
});

describe.each(['.', '..'])('the name %j', (id) => {
  test('is unknown, and reaches no pass whose name is like part of a path', async () => {
    const own = await freshAccount();
    const assistant = await assistantOf(own);
    const templateId = await own.createTemplate();
    // Without the name, these would be parsed as one.
    const names = ['timeline', 'sendpushnotification'];
    for (const userProvidedId of names) await own.createPass(templateId, { userProvidedId });
    for (const tool of ['read_pass', 'void_pass', 'pass_timeline', 'process_status', 'describe_template'])
      await assistant.fails(tool, { id }, /^Object not found\. /);
    await assistant.fails('send_push', { id, pushNotificationText: 'Now' }, /^Object not found\. /, /search_passes/);
    await assistant.fails('update_pass', { id, data: { storedValue: 1 } }, /^Object not found\. /);
    await assistant.fails('list_scans', { appConfigurationId: id }, /^Object not found\. /, /app configuration/);
  });
});

describe('an idempotencyKey', () => {
  test.each(['a\nb', 'a\r\nX-Other: b', 'a\0'])(
    'of several lines (%j) is rejected by its name',
    async (idempotencyKey) => {
      const args = { data: { templateId }, idempotencyKey };
      await assistant.fails('create_pass', args, /^idempotencyKey: must be a single line of text\. /);
    },
  );

  test.each(['ticket-ü-🎟️', 'two words'])('of any other characters (%j) makes a repeat safe', async (idempotencyKey) => {
    const args = { data: { templateId }, idempotencyKey };
    const first = await assistant.works('create_pass', args);
    expect((await assistant.works('create_pass', args)).identifier).toBe(first.identifier);
  });
});
