import { describe, expect, test } from 'vitest';
import { readContract } from '../../../src/pages/docs/contract.ts';

const reply = { 200: { description: 'Fine' }, 404: { $ref: '#/components/responses/Unknown' } };
const operation = (operationId: string, tag: string, more: object = {}) => ({
  operationId,
  summary: operationId,
  tags: [tag],
  responses: reply,
  ...more,
});

const DOCUMENT = {
  info: { title: 'Service', version: '1' },
  tags: [{ name: 'Webhooks', description: 'Events' }],
  security: [{ apiKey: [] }],
  components: { responses: { Unknown: { description: 'Unknown' } } },
  paths: {
    '/api/pass': { post: operation('createPass', 'Passes'), get: operation('listPasses', 'Passes', { security: [] }) },
    '/api/hook': { post: operation('subscribe', 'Webhooks') },
    '/api/v3/pass': {
      post: operation('createPassV3', 'Passes', { requestBody: { content: { 'application/json': {} } } }),
    },
    '/api/v2/bundle': { get: operation('readBundle', 'Bundles') },
  },
};

describe('readContract', () => {
  const { groups } = readContract(DOCUMENT);

  test('lists the tags that the document lists, then the others by name', () => {
    expect(groups.map(({ name, slug }) => [name, slug])).toEqual([
      ['Webhooks', 'tag-webhooks'],
      ['Bundles', 'tag-bundles'],
      ['Passes', 'tag-passes'],
    ]);
    expect(groups[0]!.description).toBe('Events');
  });

  test('puts the newest version of the API first, otherwise by path and method', () => {
    const passes = groups.find(({ name }) => name === 'Passes')!.operations;
    expect(passes.map(({ id, version }) => [id, version])).toEqual([
      ['createPassV3', 3],
      ['listPasses', 1],
      ['createPass', 1],
    ]);
  });

  test('distinguishes successes from failures, and knows which operations need a key', () => {
    const [, list, create] = groups.find(({ name }) => name === 'Passes')!.operations;
    expect(create!.replies.map(({ status }) => status)).toEqual([200]);
    expect(create!.failures).toMatchObject([{ status: 404, description: 'Unknown' }]);
    expect([list!.secured, create!.secured]).toEqual([false, true]);
  });
});
