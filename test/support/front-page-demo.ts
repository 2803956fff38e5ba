import { demoTemplates } from '../../scripts/demo/templates.ts';
import { admin, type Client, freshAccount, type Reply, send } from './api.ts';
import { createConfiguration } from './app-scans.ts';

/** Set up once for all files that share a Worker, because the page uses the demo user's first account. */
export async function openFrontPageDemo(): Promise<void> {
  if (String((await send('GET', '/')).body).includes('id="demo"')) return;
  const account = await freshAccount();
  await fillDemoAccount(account);
  await admin('user invite', { account: account.accountId, email: 'demo@example.com', privilege: ['owner'] });
}

/** Creates the templates that the front page offers, with the external IDs from `npm start`, and a scanner. */
async function fillDemoAccount(account: Client): Promise<void> {
  const offered = ['boardingPass', 'eventTicket', 'storeCard', 'generic'];
  for (const { key, definition } of await demoTemplates()) {
    if (!offered.includes(key)) continue;
    const { status, body } = await account.post('/api/v2/pass-template', definition);
    if (status !== 201) throw new Error(`template ${key}: ${JSON.stringify(body)}`);
  }
  await createConfiguration(account, {});
}

/** Sends a form of the demo like a browser on the service's page. */
export function sendDemoForm(
  origin: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return send('POST', `/dev/demo${path}`, new URLSearchParams(fields).toString(), {
    'Content-Type': 'application/x-www-form-urlencoded',
    Origin: origin,
    'Sec-Fetch-Site': 'same-origin',
    ...headers,
  });
}
