import type { SubCustomer } from '../../../domain/accounts/account-settings.ts';
import type { SigningKey } from '../../../domain/signing-keys/table.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { Badge, Confirm, EmptyState, Pager, Panel } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { SECTION } from './settings-page.tsx';

interface SubCustomersPageProps {
  frame: Frame;
  accounts: SubCustomer[];
  next?: string;
  isFirst: boolean;
}

/** The accounts that this one has made. */
export function SubCustomersPage({ frame, accounts, next, isFirst }: SubCustomersPageProps) {
  const base = sectionPath(frame.account.id, SECTION, 'sub-customers');
  return (
    <AccountLayout frame={frame} title="Sub-customers" section={SECTION}>
      {accounts.length === 0 && isFirst ? (
        <EmptyState title="No sub-customers yet" action={<a href="/docs#tag-account">API reference</a>}>
          Create sub-customers with the API. Each has its own templates, passes and keys.
        </EmptyState>
      ) : (
        <section class="panel">
          <ListTable columns={['Name', 'Identifier', 'Passes on devices', 'Created on']}>
            {accounts.map(({ id, name, isSuspended, activePassesMax, createdAt }) => (
              <tr>
                <th scope="row">
                  {name}
                  {isSuspended && <Badge tone="grave">Suspended</Badge>}
                </th>
                <td data-label="Identifier">
                  <code>{id}</code>
                </td>
                <td data-label="Passes on devices">
                  {activePassesMax === null ? 'Unlimited' : `Up to ${activePassesMax.toLocaleString('en')}`}
                </td>
                <td data-label="Created on">
                  <Time at={createdAt} timezone={frame.account.timezone} />
                </td>
              </tr>
            ))}
          </ListTable>
        </section>
      )}
      <Pager older={next && `${base}?before=${next}`} newer={isFirst ? undefined : base} />
    </AccountLayout>
  );
}

interface SigningKeyPageProps {
  frame: Frame;
  keys: SigningKey[];
  mayEdit: boolean;
  scripts: string[];
}

/** The key that signs texts, and those before it, which verify what they have signed. */
export function SigningKeyPage({ frame, keys, mayEdit, scripts }: SigningKeyPageProps) {
  const base = sectionPath(frame.account.id, SECTION, 'signing-key');
  const rotate = mayEdit && (
    <a class="button small quiet" href={`${base}/rotate`}>
      Rotate key
    </a>
  );
  return (
    <AccountLayout frame={frame} title="Signing key" section={SECTION} actions={rotate} scripts={scripts}>
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
            Since <Time at={key.createdAt} timezone={frame.account.timezone} />
          </p>
          <CodeBlock title={`Public key ${key.id}`} code={key.publicKeyPem.trim()} />
        </Panel>
      ))}
    </AccountLayout>
  );
}

export function RotateKeyPage({ frame }: { frame: Frame }) {
  const base = sectionPath(frame.account.id, SECTION, 'signing-key');
  return (
    <AccountLayout frame={frame} title="Rotate the signing key?" section={SECTION}>
      <Confirm action={`${base}/rotate`} button="Rotate key" back={base}>
        <p>
          A new key signs at once: webhooks from the next attempt, passes from their next update. Give its public key to
          your verifiers. Old signatures stay verifiable, because old public keys stay listed. You can’t undo this.
        </p>
      </Confirm>
    </AccountLayout>
  );
}
