import type { Child } from 'hono/jsx';
import type { OpenRequest } from '../../../domain/certificates/manage-certificates.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Confirm, EntryForm, LinkButton } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { SECTION } from './certificate-list-page.tsx';
import { FileField } from './file-field.tsx';
import { CertificateListPicture, ChooseFilePicture, IdentifierPicture, RequestPicture } from './step-pictures.tsx';

const APPLE_IDENTIFIERS = 'https://developer.apple.com/account/resources/identifiers/list/passTypeId';
const APPLE_CERTIFICATES = 'https://developer.apple.com/account/resources/certificates/add';

/** The four steps from a signing request to its certificate. */
export function RequestPage({ request }: { request: OpenRequest }) {
  const { id, passTypeId } = request;
  const base = hrefTo(SECTION, 'requests', id);
  return (
    <AccountLayout
      title={passTypeId ? `Renew ${passTypeId}` : 'Get a certificate from Apple'}
      section={SECTION}
      actions={<LinkButton href={`${base}/delete`} title="Delete request" look="small quiet" />}
    >
      <p class="lead">
        You need a browser and an Apple Developer account. The key of your certificate stays here, encrypted. You can
        leave this page and come back.
      </p>
      <ol class="certificate-steps">
        <Step title="Download the signing request" picture={<RequestPicture />}>
          <p>You upload this file at Apple in step 3.</p>
          <p>
            <a class="button" href={`${base}/file`} download>
              Download signing request
            </a>
          </p>
        </Step>
        {passTypeId ? (
          <Step title="Open the certificates at Apple" picture={<CertificateListPicture />}>
            <p>
              The identifier <code>{passTypeId}</code> stays. Sign in with the Apple Developer account that owns it.
            </p>
          </Step>
        ) : (
          <Step title="Register a Pass Type ID" picture={<IdentifierPicture />}>
            <p>
              Open{' '}
              <a href={APPLE_IDENTIFIERS} rel="noreferrer">
                Identifiers at Apple
              </a>
              , click +, choose <b>Pass Type IDs</b>, and enter a description and an identifier such as{' '}
              <code>pass.com.example.tickets</code>. Skip this step if you have one.
            </p>
          </Step>
        )}
        <Step title="Create the certificate" picture={<ChooseFilePicture />}>
          <p>
            Open{' '}
            <a href={APPLE_CERTIFICATES} rel="noreferrer">
              Certificates at Apple
            </a>
            , choose <b>Pass Type ID Certificate</b>, then{' '}
            {passTypeId ? <code>{passTypeId}</code> : 'your Pass Type ID'}. Upload the file of step 1, and download the
            certificate.
          </p>
        </Step>
        <Step title="Add the certificate here">
          <EntryForm
            action={base}
            look="stack"
            enctype="multipart/form-data"
            button="Add certificate"
            back={hrefTo(SECTION)}
          >
            <FileField
              name="certificate"
              label="Certificate (pass.cer)"
              hint="The file that Apple gave you in step 3."
              accept=".cer,.crt,.pem"
              required
            />
            <details>
              <summary>Apple’s issuer has changed?</summary>
              <FileField
                name="intermediate"
                label="Issuer’s certificate (.cer)"
                hint="Needed only if we say that it is missing. From www.apple.com/certificateauthority"
                accept=".cer,.crt,.pem"
              />
            </details>
          </EntryForm>
        </Step>
      </ol>
    </AccountLayout>
  );
}

function Step({ title, picture, children }: { title: string; picture?: Child; children: Child }) {
  return (
    <li class="panel">
      <div class="stack">
        <h2>{title}</h2>
        {children}
      </div>
      {picture}
    </li>
  );
}

/** Confirmation page: without the request's key, a certificate from Apple is useless. */
export function WithdrawRequestPage({ request }: { request: OpenRequest }) {
  const base = hrefTo(SECTION, 'requests', request.id);
  return (
    <AccountLayout title="Delete the signing request?" section={SECTION}>
      <Confirm action={`${base}/delete`} button="Delete request" back={base}>
        <p>Its key is deleted, too. A certificate that Apple issues for it can’t be used. Your certificates stay.</p>
      </Confirm>
    </AccountLayout>
  );
}
