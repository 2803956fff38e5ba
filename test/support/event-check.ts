import * as z from 'zod';
import { EVENTS, type EventType, isEventType } from '../../src/domain/events/catalog.ts';
import { expandBody } from '../../src/domain/events/compact-body.ts';
import type { Ask } from './bindings-client.ts';
import { DATABASES } from './database-of.ts';

const PAGE_ROWS = 1_000;
const FAULTS_SHOWN = 20;

type EventRow = {
  account_id: string;
  id: string;
  type: string;
  pass_id: string | null;
  template_id: string | null;
  body: string;
};

const LINK = 'https://passes.example/p/';

/**
 * Compares every event that the Worker recorded in a run, in any test, with its catalog entry. Throws if events don't
 * match, or contain more than their schema.
 */
export async function checkRecordedEvents(ask: Ask): Promise<void> {
  const faults: string[] = [];
  const sql = `select account_id, id, type, pass_id, template_id, body from account_events where (account_id, id) > (?, ?)
    order by account_id, id limit ?`;
  for (const database of DATABASES) {
    for (let after = ['', '']; ; ) {
      const rows = (await ask('sql', { sql, params: [...after, PAGE_ROWS], databases: [database] })) as EventRow[];
      for (const row of rows) {
        const fault = faultOf(row);
        if (fault) faults.push(`${row.type}: ${fault}\n${row.body}`);
      }
      if (rows.length < PAGE_ROWS) break;
      const last = rows.at(-1)!;
      after = [last.account_id, last.id];
    }
  }
  if (faults.length === 0) return;
  const shown = faults.slice(0, FAULTS_SHOWN).join('\n\n');
  throw new Error(`${faults.length} recorded events do not fit the catalog (src/domain/events/catalog.ts):\n${shown}`);
}

/** Schemas that allow no more members, because zod compiles each new one: most of the time of a check. */
const exact = new Map<EventType, z.ZodType>();

function exactBody(type: EventType): z.ZodType {
  const schema = exact.get(type) ?? EVENTS[type].body.strict();
  exact.set(type, schema);
  return schema;
}

/** Returns the fault of a recorded event, or undefined. */
export function faultOf({
  type,
  body,
  pass_id: passId = null,
  template_id: templateId = null,
}: Pick<EventRow, 'type' | 'body'> & Partial<EventRow>): string | undefined {
  if (!isEventType(type)) return 'is not in the catalog';
  const { error } = exactBody(type).safeParse(expandBody({ type, body, passId, templateId }, LINK));
  return error && z.prettifyError(error);
}
