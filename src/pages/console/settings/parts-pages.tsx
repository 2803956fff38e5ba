import type { SubCustomer } from '../../../domain/accounts/account-settings.ts';
import type { SigningKey } from '../../../domain/signing-keys/table.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { AccountLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { Badge, Confirm, EmptyState, formatNumber, LinkButton, Pager, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';
import { SECTION } from './settings-page.tsx';

interface SubCustomersPageProps {
  accounts: SubCustomer[];
  next?: string;
  isFirst: boolean;
}

/** The sub-accounts of this account. */
export function SubCustomersPage({ accounts, next, isFirst }: SubCustomersPageProps) {
  const base = hrefTo(SECTION, 'sub-customers');
  return (
    <AccountLayout title="Sub-customers" section={SECTION}>
      {accounts.length === 0 && isFirst ? (
        <EmptyState title="No sub-customers yet" action={<a href="/docs#tag-account">API reference</a>}>
          Create sub-customers with the API. Each has its own templates, passes and keys.
        </EmptyState>
      ) : (
        <section class="panel">
          <Table
            rows={accounts}
            columns={[
              [
                'Name',
                ({ name, isSuspended }) => (
                  <>
                    {name}
                    {isSuspended && <Badge tone="grave">Suspended</Badge>}
                  </>
                ),
              ],
              ['Identifier', ({ id }) => <code>{id}</code>],
              [
                'Passes on devices',
                ({ activePassesMax }) =>
                  activePassesMax === null ? 'Unlimited' : `Up to ${formatNumber(activePassesMax)}`,
              ],
              ['Created on', ({ createdAt }) => <Time at={createdAt} />],
            ]}
          />
        </section>
      )}
      <Pager older={next && `${base}?before=${next}`} newer={isFirst ? undefined : base} />
    </AccountLayout>
  );
}

interface SigningKeyPageProps {
  keys: SigningKey[];
  scripts: string[];
}

/** The current signing key, and previous keys, which still verify earlier signatures. */
export function SigningKeyPage({ keys, scripts }: SigningKeyPageProps) {
  const base = hrefTo(SECTION, 'signing-key');
  const rotate = viewerHas('owner') && <LinkButton href={`${base}/rotate`} title="Rotate key" look="small quiet" />;
  return (
    <AccountLayout title="Signing key" section={SECTION} actions={rotate} scripts={scripts}>
      <p class="lead">
        Signs the texts that <code>{'{sign(…)}'}</code> adds to passes, and webhook bodies if enabled. Algorithm: ECDSA
        on P-256 with SHA-256.
      </p>
      {keys.map((key) => (
        <Panel
          id={`key-${key.id}`}
          title={key.active ? 'Active key' : 'Earlier key'}
          aside={<Badge tone={key.active ? 'good' : undefined}>{key.active ? 'Active' : 'Verifies only'}</Badge>}
        >
          <p class="quiet">
            Since <Time at={key.createdAt} />
          </p>
          <CodeBlock title={`Public key ${key.id}`} code={key.publicKeyPem.trim()} />
        </Panel>
      ))}
    </AccountLayout>
  );
}

export function RotateKeyPage() {
  const base = hrefTo(SECTION, 'signing-key');
  return (
    <AccountLayout title="Rotate the signing key?" section={SECTION}>
      <Confirm action={`${base}/rotate`} button="Rotate key" back={base}>
        <p>
          The new key signs webhooks from the next attempt, and passes from their next update. Give its public key to
          everyone who verifies signatures. Old signatures can still be verified, because old public keys stay listed.
          You can’t undo this.
        </p>
      </Confirm>
    </AccountLayout>
  );
}
