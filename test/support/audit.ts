import { d1 } from './control.ts';

/** A row of the audit log. */
export interface AuditRow {
  id: string;
  actor_type: string;
  actor_id: string | null;
  email: string;
  action: string;
  target_type: string | null;
  target_id: string | null;
  target: string;
  outcome: string;
  ip: string | null;
  request_id: string | null;
  changes: string | null;
}

/** Returns an account's entries, oldest first. */
export function auditEntries(accountId: string): Promise<AuditRow[]> {
  return d1<AuditRow>('select * from audit_entries where account_id = ? order by id', [accountId]);
}

/** Returns the actions of an account's entries, oldest first. */
export async function actionsOf(accountId: string): Promise<string[]> {
  return (await auditEntries(accountId)).map(({ action }) => action);
}

/** Runs `work` while every entry of an account fails, and with it the batch that contains it. */
export async function withDeafLog<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  const trigger = `deaf_${accountId.replaceAll('-', '_')}`;
  await d1(`create trigger ${trigger} before insert on audit_entries when new.account_id = '${accountId}'
    begin select raise(abort, 'deaf'); end`);
  try {
    return await work();
  } finally {
    await d1(`drop trigger ${trigger}`);
  }
}

/** Additional round trips for the entry when a page shows personal data. */
export const VIEW_ENTRY = 1;

/** Rows written by a change's entry: itself, and one per index. */
export const ENTRY_ROWS = 6;

/** Rows read to look up its target's name. */
export const NAME_ROWS = 1;
