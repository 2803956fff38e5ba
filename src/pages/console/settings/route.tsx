import { Hono } from 'hono';
import {
  changeAccountSettings,
  listSubCustomers,
  type SubCustomer,
} from '../../../domain/accounts/account-settings.ts';
import { invalidField } from '../../../domain/errors.ts';
import { listQuotas } from '../../../domain/quotas/list-quotas.ts';
import { rotateSigningKey } from '../../../domain/signing-keys/rotate-signing-key.ts';
import { listSigningKeys } from '../../../domain/signing-keys/signer.ts';
import type { SigningKey } from '../../../domain/signing-keys/table.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { type Listed, ListPanel } from '../list-table.tsx';
import { Badge, EmptyState, formatNumber, LinkButton, Panel } from '../parts.tsx';
import { listed, PAGE_ROWS, page, pathTo, submitted, textOf, textsIn, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';
import { RETENTIONS, SECTION, SettingsPage, type TypedSettings } from './settings-page.tsx';

/** Routes for account settings. All members can view them; only owners can change them. */
export const settingsRoutes = new Hono<AccountEnv>();

const owner = requirePrivilege('owner');
settingsRoutes.post('*', owner);

const pathOf = (c: AccountPageContext, ...parts: string[]) => pathTo(c, SECTION, ...parts);

settingsRoutes.get('/', async (c) => {
  const quotas = await listQuotas(c.var.acting);
  const saved = c.req.query('saved') !== undefined;
  return page(c, <SettingsPage quotas={quotas} saved={saved} />);
});

settingsRoutes.post('/', async (c) => {
  const { acting, session } = c.var;
  const form = await c.req.parseBody();
  const texts = textsIn(form, 'name', 'timezone', 'language', 'logoUrl', 'iconUrl', 'replyTo');
  const userProvidedLinks = textOf(form, 'userProvidedLinks') === 'true';
  const requirePasskey = textOf(form, 'requirePasskey') === 'true';
  const retention = Object.fromEntries(
    Object.keys(RETENTIONS).map((field) => [field, textOf(form, `retention.${field}`)]),
  ) as TypedSettings['retention'];
  const typed: TypedSettings = { ...texts, userProvidedLinks, requirePasskey, retention };
  const again = async () => {
    const shown = { quotas: await listQuotas(acting), typed };
    return <SettingsPage {...shown} saved={false} />;
  };
  return submitted(c, again, async () => {
    // Requires a working passkey from the person who sets this, so that the last owner can't lock everyone out.
    if (requirePasskey && !session.hasPasskey) throw invalidField('requirePasskey', 'sign in with a passkey first');
    await changeAccountSettings(acting, typed);
    return `${pathOf(c)}?saved`;
  });
});

settingsRoutes.get('/sub-customers', async (c) => {
  const beforeId = uuidIn(c, 'before');
  const found = await listSubCustomers(c.var.acting, { limit: PAGE_ROWS + 1, beforeId });
  return page(c, <SubCustomersPage {...listed(found, beforeId, ({ id }) => id)} />);
});

settingsRoutes.get('/signing-key', async (c) => {
  const keys = await listSigningKeys(c.var.acting);
  return page(c, <SigningKeyPage keys={keys} scripts={[clientFile('console/copy-code.ts').path]} />);
});

settingsRoutes.get('/signing-key/rotate', owner, (c) => page(c, <RotateKeyPage />));

settingsRoutes.post('/signing-key/rotate', async (c) => {
  await rotateSigningKey(c.var.acting);
  return c.redirect(pathOf(c, 'signing-key'), 303);
});

/** The sub-accounts of this account. */
function SubCustomersPage(list: Listed<SubCustomer>) {
  const base = hrefTo(SECTION, 'sub-customers');
  return (
    <AccountLayout title="Sub-customers" section={SECTION}>
      <ListPanel
        {...list}
        base={base}
        empty={
          list.isFirst && (
            <EmptyState title="No sub-customers yet" action={<a href="/docs#tag-account">API reference</a>}>
              Create sub-customers with the API. Each has its own templates, passes and keys.
            </EmptyState>
          )
        }
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
    </AccountLayout>
  );
}

/** The current signing key, and previous keys, which still verify earlier signatures. */
function SigningKeyPage({ keys, scripts }: { keys: SigningKey[]; scripts: string[] }) {
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

function RotateKeyPage() {
  const base = hrefTo(SECTION, 'signing-key');
  return (
    <ConfirmationPage
      title="Rotate the signing key?"
      section={SECTION}
      action={`${base}/rotate`}
      button="Rotate key"
      back={base}
    >
      <p>
        The new key signs webhooks from the next attempt, and passes from their next update. Give its public key to
        everyone who verifies signatures. Old signatures can still be verified, because old public keys stay listed. You
        can’t undo this.
      </p>
    </ConfirmationPage>
  );
}
