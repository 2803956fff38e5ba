import { AccountLayout } from '../console-layout.tsx';
import { FileField, TextArea, TextField } from '../fields.tsx';
import { EntryForm, Panel, SubmitButton } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { SECTION } from './certificate-list-page.tsx';
import { RequestPicture } from './request-pages.tsx';

/** Offers to request a certificate from Apple, or to upload one as a .p12 file or as certificate and key. */
export function NewCertificatePage() {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Add certificate" section={SECTION}>
      <Panel id="request" title="Get a certificate from Apple">
        <div class="columns">
          <form class="stack" method="post" action={`${base}/requests`}>
            <p>
              Takes four steps in the browser, without a Mac. We create the private key and the signing request for you.
            </p>
            <p>
              <SubmitButton title="Create signing request" />
            </p>
          </form>
          <RequestPicture />
        </div>
      </Panel>
      <h2 class="panel-title">Add an existing certificate</h2>
      <EntryForm action={base} enctype="multipart/form-data" button="Add certificate" back={base}>
        <FileField
          name="p12"
          label="Certificate with key (.p12)"
          hint="Exported from Keychain Access. Or leave this empty and upload both files below."
          accept=".p12,.pfx"
        />
        <FileField name="certificate" label="Certificate (.cer, .pem)" accept=".cer,.crt,.pem" />
        <FileField name="key" label="Private key (.pem, .key)" accept=".pem,.key" />
        <TextField
          name="password"
          label="Password"
          type="password"
          hint="The password of the .p12 file or the key. It isn’t stored."
          required={false}
          more={{ autocomplete: 'off' }}
        />
        <FileField
          name="intermediate"
          label="Issuer’s certificate (.cer, .pem)"
          hint="Needed only if the issuer isn’t Apple WWDR G4. Download it from www.apple.com/certificateauthority"
          accept=".cer,.crt,.pem"
        />
      </EntryForm>
    </AccountLayout>
  );
}

/** Adds a Google Wallet issuer with the key file of its service account. */
export function NewIssuerPage({ issuerId }: { issuerId?: string }) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Add Google Wallet issuer" section={SECTION}>
      <EntryForm action={`${base}/google`} enctype="multipart/form-data" button="Add issuer" back={base}>
        <ol>
          <li>
            In the{' '}
            <a href="https://pay.google.com/business/console" rel="noreferrer">
              Google Wallet console
            </a>
            , get access to the Google Wallet API and copy your issuer ID.
          </li>
          <li>
            In{' '}
            <a href="https://console.cloud.google.com/iam-admin/serviceaccounts" rel="noreferrer">
              Google Cloud
            </a>
            , enable the Google Wallet API, create a service account, and create a JSON key for it.
          </li>
          <li>In the Google Wallet console, under Users, invite the service account’s address as a developer.</li>
        </ol>
        <TextField
          name="issuerId"
          label="Issuer ID"
          hint="A number from the Google Wallet console."
          value={issuerId}
          required
          more={{ inputmode: 'numeric', maxlength: 25, autocomplete: 'off' }}
        />
        <TextArea
          name="pasted"
          label="Service account key (JSON)"
          hint="Paste the content of the key file. We check with Google that the key works for this issuer, and store it encrypted."
          rows={6}
          more={{ spellcheck: 'false', autocomplete: 'off' }}
        />
        <FileField name="serviceAccount" label="Key file (.json), in place of the pasted key" accept=".json" />
        <p class="quiet">
          New passes use this issuer in place of an earlier one. Existing passes stay in the classes of their issuer. A
          different issuer ID starts new classes at Google.
        </p>
      </EntryForm>
    </AccountLayout>
  );
}
