import type { Call } from './load.ts';
import { copyPasses } from './seed.ts';

/** Passes that the old template has already. */
const OLD_PASSES = 100_000;

/** A template whose every create takes a number, claims a unique value and counts towards a maximum. */
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

/** Two templates with the same rules: one that holds 100,000 passes, and one that holds a single one. */
export interface Growth {
  old: string;
  young: string;
}

/** Makes both templates through the API, then fills the old one in the database with rows as its creates leave them. `create` posts a body and returns `data.identifier`. */
export async function seedGrowth(
  create: (path: string, body: object) => Promise<string>,
  database: D1Database,
): Promise<Growth> {
  const [old, young] = [
    await create('/api/v2/pass-template', RULED_TEMPLATE),
    await create('/api/v2/pass-template', RULED_TEMPLATE),
  ];
  for (const templateId of [young, old]) {
    await create('/api/v3/pass', { data: { templateId, userProvidedId: `first-of-${templateId}`, plate: 'first' } });
  }
  const first = await database.prepare('select id from passes where template_id = ?').bind(old).first<{ id: string }>();
  await copyPasses(database, first!.id, OLD_PASSES, 1);
  const statements = [
    `insert into unique_property_values (template_id, property_id, value, pass_id)
     select claimed.template_id, claimed.property_id, 'copy-' || passes.id, passes.id
     from passes, unique_property_values as claimed
     where passes.template_id = ?1 and claimed.pass_id = ?2 and passes.id <> ?2`,
    'update templates set pass_count = pass_count + ?3, next_custom_number = next_custom_number + ?3 where id = ?1 and ?2 is not null',
  ];
  await database.batch(statements.map((sql) => database.prepare(sql).bind(...parameters(sql, old, first!.id))));
  return { old, young };
}

function parameters(sql: string, templateId: string, passId: string): (string | number)[] {
  return sql.includes('?3') ? [templateId, passId, OLD_PASSES] : [templateId, passId];
}

/** Creates in one of the templates, each with values of its own. */
export function ruledCreates(apiKey: string, templateId: string): () => Call {
  let creates = 0;
  return () => {
    const mark = `${templateId.slice(-6)}-${String(creates++).padStart(9, '0')}`;
    return {
      method: 'POST',
      path: '/api/v3/pass',
      headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ data: { templateId, userProvidedId: `member-${mark}`, plate: `plate-${mark}` } }),
    };
  };
}
