import { randomUUID } from 'node:crypto';
import { EVENTS } from '../../src/domain/events/catalog.ts';
import type { Client } from './api.ts';
import { d1 } from './control.ts';

const BODY = JSON.stringify(EVENTS.pass_deleted.example);

/**
 * Deletes a pass like a release before 0.2.0: its event is in that release's table, and too old to be moved. Returns
 * the pass's identifier.
 */
export async function deletedBefore(account: Client, templateId: string): Promise<string> {
  const { identifier } = await account.createPass(templateId);
  await account.delete(`/api/pass/${identifier}`);
  await d1(
    `insert into events (id, account_id, type, template_id, pass_id, body, created_at)
     values (?, ?, 'pass_deleted', ?, ?, ?, ?)`,
    [`00000000${randomUUID().slice(8)}`, account.accountId, templateId, identifier, BODY, Date.now()],
  );
  return identifier;
}
