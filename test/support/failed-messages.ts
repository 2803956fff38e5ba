import type { Client } from './api.ts';
import { d1, eventually, runScheduled } from './control.ts';

/**
 * Makes an e-mail of a pass fail permanently, with a recipient stored before recipients were validated. Returns its
 * identifier.
 */
export async function failedMail(account: Client, templateId: string, recipient: string): Promise<string> {
  const { identifier } = await account.createPass(templateId, { emailRecipient: 'ada.failing@example.com' });
  await d1(
    `update messages set recipient = ?, status = 'queued', due_at = 0, subject = null, submitted_at = null where pass_id = ?`,
    [recipient, identifier],
  );
  await d1('update passes set email_recipient = ? where id = ?', [recipient, identifier]);
  await runScheduled();
  return eventually(async () => {
    const [row] = await d1<{ id: string; status: string }>('select id, status from messages where pass_id = ?', [
      identifier,
    ]);
    return row?.status === 'failed' && row.id;
  });
}
