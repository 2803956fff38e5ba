import { AccountLayout } from '../console-layout.tsx';
import { TextArea, TextField } from '../fields.tsx';
import { EntryForm, Panel, SubmitButton } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { SECTION } from './certificate-list-page.tsx';
import { FileField } from './file-field.tsx';
import { RequestPicture } from './step-pictures.tsx';

/** Offers to request a certificate from Apple, or to upload one as a .p12 file or as certificate and key. */
export function NewCertificatePage() {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Add certificate" section={SECTION}>
      <Panel id="request" title="Get one from Apple">
        <div class="columns">
          <form class="stack" method="post" action={`${base}/requests`}>
            <p>Four steps in the browser, no Mac needed. We make the key and the signing request for you.</p>
            <p>
              <SubmitButton title="Start" />
            </p>
          </form>
          <RequestPicture />
        </div>
      </Panel>
      <h2 class="panel-title">Or add one you already have</h2>
      <EntryForm action={base} enctype="multipart/form-data" button="Add" back={base}>
        <FileField
          name="p12"
          label="Certificate with key (.p12)"
          hint="The export of Keychain Access. Or leave it empty and upload both files below."
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
          hint="Only if Apple issued it with an intermediate other than WWDR G4: www.apple.com/certificateauthority"
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
      <EntryForm action={`${base}/google`} enctype="multipart/form-data" button="Add" back={base}>
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
          hint="Digits, from the Google Wallet console."
          value={issuerId}
          required
          more={{ inputmode: 'numeric', maxlength: 25, autocomplete: 'off' }}
        />
        <TextArea
          name="pasted"
          label="Service account key (JSON)"
          hint="Paste the content of the key file. We check with Google that it works for this issuer. The key is stored encrypted."
          rows={6}
          more={{ spellcheck: 'false', autocomplete: 'off' }}
        />
        <FileField name="serviceAccount" label="Or the key file (.json)" accept=".json" />
        <p class="quiet">
          Used from the next pass on instead of an earlier issuer. Existing passes keep their issuer’s classes. With
          another issuer ID, they start over at Google.
        </p>
      </EntryForm>
    </AccountLayout>
  );
}
