import { d1 } from './control.ts';

/** A row of the audit log as it stands. */
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

/** The entries of an account, oldest first. */
export function auditEntries(accountId: string): Promise<AuditRow[]> {
  return d1<AuditRow>('select * from audit_entries where account_id = ? order by id', [accountId]);
}

/** The actions of an account's entries, oldest first. */
export async function actionsOf(accountId: string): Promise<string[]> {
  return (await auditEntries(accountId)).map(({ action }) => action);
}

/** Does something while every entry of an account fails, and with it the batch that it stands in. */
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

/** Round trips of the entry that a view of personal data leaves, beside those of the page itself. */
export const VIEW_ENTRY = 1;

/** Rows that the entry of a change writes: itself, and one in each index. */
export const ENTRY_ROWS = 6;

/** Rows that it reads where it asks for the name of its target. */
export const NAME_ROWS = 1;
