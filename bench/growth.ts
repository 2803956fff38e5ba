import { setTimeout } from 'node:timers/promises';
import type { Call } from './load.ts';

/** Passes that the old template starts with. */
const OLD_PASSES = 100_000;
/** Passes of one bulk operation, at most 10,000. */
const BULK_PASSES = 10_000;
const LOOK_MS = 100;

/** A template with a number sequence, a unique value and a maximum number of passes. */
const RULED_TEMPLATE = {
  name: 'Ruled',
  description: 'Season ticket',
  organizationName: 'Northwind Climbing Hall',
  type: 'generic',
  additionalProperties: [{ name: 'plate', type: 'text', required: true, unique: true }],
  customNumberRange: { from: 1, to: 999_999_999, prefix: 'N-', padding: 9 },
  enforceUniqueUserProvidedId: true,
  maxPasses: 100_000_000,
};

/** Two templates with the same rules: one with 100,000 passes, and one with a single pass. */
export interface Growth {
  old: string;
  young: string;
}

/** Sends a request with the bench's key and returns the reply's body. */
export type Ask = (method: 'GET' | 'POST', path: string, body?: object) => Promise<{ data: Record<string, string> }>;

/**
 * Creates both templates, and the old one's passes by bulk operations, which apply the same rules as single creates and
 * write the same rows. The Worker must consume its queues.
 */
export async function seedGrowth(ask: Ask, say: (text: string) => void): Promise<Growth> {
  const create = async (path: string, body: object) => (await ask('POST', path, body)).data.identifier!;
  const old = await create('/api/v2/pass-template', RULED_TEMPLATE);
  const young = await create('/api/v2/pass-template', RULED_TEMPLATE);
  for (let from = 0; from < OLD_PASSES; from += BULK_PASSES) {
    const passes = Array.from({ length: BULK_PASSES }, (_, i) => valuesOf(old, `old-${from + i}`));
    const { processId } = (await ask('POST', '/api/v3/pass/bulk/create', { templateId: old, passes })).data;
    await finished(ask, `/api/v3/process/${processId}`);
    say(`  ${(from + BULK_PASSES).toLocaleString('en')} passes under rules`);
  }
  await create('/api/v3/pass', { data: { templateId: young, ...valuesOf(young, 'first') } });
  return { old, young };
}

async function finished(ask: Ask, path: string): Promise<void> {
  for (;;) {
    const { status, current } = (await ask('GET', path)).data;
    if (status === 'finished' && Number(current) === BULK_PASSES) return;
    if (status?.startsWith('finished'))
      throw new Error(`a bulk create ended with status ${status} after ${current} passes`);
    await setTimeout(LOOK_MS);
  }
}

const valuesOf = (templateId: string, mark: string) => ({
  userProvidedId: `member-${templateId.slice(-6)}-${mark}`,
  plate: `plate-${mark}`,
});

/** Returns creates in one of the templates, each with unique values. */
export function ruledCreates(apiKey: string, templateId: string): () => Call {
  let creates = 0;
  return () => {
    const values = valuesOf(templateId, String(creates++).padStart(9, '0'));
    return {
      method: 'POST',
      path: '/api/v3/pass',
      headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ data: { templateId, ...values } }),
    };
  };
}
