import type { CloudflareApi } from './cloudflare-api.ts';
import type { NewSecrets } from './secrets.ts';

/** Facts about a deployment that just finished. */
export interface DeploymentFacts {
  address: string;
  worker: string;
  /** Secrets made by this run or an earlier one. The operator must keep a copy. */
  made: NewSecrets | undefined;
  /** Missing secrets: none are made on a build server. */
  missing: string[];
  /** Names of the Worker's variables and secrets. */
  settings: ReadonlySet<string>;
  canBeSetUp: boolean;
  hasCertificate: boolean;
  hasGoogleIssuer: boolean;
}

/** Returns the names of a Worker's variables and secrets. */
export async function listSettings(api: CloudflareApi, worker: string): Promise<Set<string>> {
  const path = `/workers/scripts/${worker}/settings`;
  const found = await api.find<{ bindings?: { name: string; type: string; text?: string }[] }>(path);
  const texts = (found?.bindings ?? []).filter(
    ({ type, text }) => type === 'secret_text' || (type === 'plain_text' && text),
  );
  return new Set(texts.map(({ name }) => name));
}

interface Owned {
  certificates: number;
  issuers: number;
}

/** Finds out whether the service itself has a certificate and a Google issuer. Accounts without their own use these. */
export async function findSigning(api: CloudflareApi, databaseId: string): Promise<Owned> {
  const sql =
    'select (select count(*) from certificates) as certificates, (select count(*) from google_issuers) as issuers';
  const [answer] = await api.call<{ results: Owned[] }[]>('POST', `/d1/database/${databaseId}/query`, { sql });
  return answer!.results[0]!;
}

/** Returns the operator's next steps. */
export function nextSteps(facts: DeploymentFacts): string[] {
  const { address, made, missing, settings, worker } = facts;
  const steps: string[] = [];
  const token = made?.values.SETUP_TOKEN;
  if (missing.length > 0) {
    steps.push(
      `Set ${missing.join(' and ')} under Settings > Variables and Secrets of the Worker ${worker}. ` +
        'docs/operations.md#secrets says how to create them. A build server creates none, because its log would keep them.',
    );
  }
  if (made) {
    steps.push(
      `Keep a copy of ${Object.keys(made.values).join(' and ')} in a password manager, then delete ${made.file}. ` +
        'Cloudflare never shows a secret again, and without ENCRYPTION_KEYS no backup can be restored.',
    );
  }
  if (facts.canBeSetUp) {
    const known = token ? `the setup token ${token}` : 'the SETUP_TOKEN of this deployment';
    steps.push(`Create the first account: open ${address}/setup and enter ${known}.`);
  }
  if (!facts.hasCertificate) {
    steps.push('Import a certificate for Apple Wallet, in the console or by docs/wallets.md#import-a-certificate.');
  }
  if (!facts.hasGoogleIssuer) steps.push('Import a Google issuer, in the console or by docs/wallets.md.');
  if (!settings.has('MAIL_FROM')) {
    steps.push(
      'Set MAIL_FROM to an address of a domain that is onboarded to Email Service (docs/operations.md#send-e-mail). ' +
        'Until then, sign in with a passkey, which you add under You in the console.',
    );
  }
  return steps;
}
