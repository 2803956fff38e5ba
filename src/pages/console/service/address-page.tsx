import type { ServiceAddress } from '../../../domain/service-settings/change-address.ts';
import type { SignedInUser } from '../../../domain/users/sessions.ts';
import { ConsoleLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { LinkButton, Notice, Panel, SubmitButton } from '../parts.tsx';

/** The service's public URL, on the service page. */
export function AddressPanel({ address: { baseUrl, source } }: { address: ServiceAddress }) {
  return (
    <Panel id="address" title="Public address" aside={<ChangeLink source={source} />}>
      {baseUrl === null ? (
        <p>Not set. Links start with the address of each request, and links in e-mails don’t work.</p>
      ) : (
        <p>
          Links start with <code>{baseUrl}</code>.
          {source === 'BASE_URL' && (
            <>
              {' '}
              This address is set by <code>BASE_URL</code> in <code>wrangler.toml</code>.
            </>
          )}
        </p>
      )}
    </Panel>
  );
}

function ChangeLink({ source }: Pick<ServiceAddress, 'source'>) {
  return source === 'BASE_URL' ? null : (
    <LinkButton href="/console/service/address" title="Change address" look="small quiet" />
  );
}

interface AddressPageProps {
  user: SignedInUser;
  address: ServiceAddress;
  /** Value of the field. */
  value: string;
  error?: string;
}

/** The form for the public URL. */
export function AddressPage({ user, address: { source }, value, error }: AddressPageProps) {
  return (
    <ConsoleLayout title="Public address" user={user}>
      <h1>Public address</h1>
      <p class="lead">Links in passes, e-mails, webhooks and API replies start with this address.</p>
      {source === 'BASE_URL' && (
        <Notice tone="careful">
          <p>
            <code>BASE_URL</code> is set and takes precedence. Remove it from <code>wrangler.toml</code> and deploy to
            use this setting.
          </p>
        </Notice>
      )}
      <form class="stack" method="post" action="/console/service/address">
        <TextField
          name="baseUrl"
          label="Address"
          type="url"
          hint="Must start with https:// and have no path. Its domain must point to this service."
          value={value}
          error={error}
          required
        />
        <SubmitButton title="Save address" />
      </form>
      <h2>Before you change it</h2>
      <ul>
        <li>Keep the old domain connected, because passes on phones request updates from it.</li>
        <li>
          Passkeys work only on the domain they were created for. Members must sign in by e-mail and create new ones.
        </li>
      </ul>
      <p>
        <a href="/console/service">Back to Service</a>
      </p>
    </ConsoleLayout>
  );
}
