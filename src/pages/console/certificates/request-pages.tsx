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
        You need a browser and an Apple Developer account. The private key of your certificate is stored here,
        encrypted. You can leave this page and come back later.
      </p>
      <ol class="certificate-steps">
        <Step title="Download the signing request" picture={<RequestPicture />}>
          <p>You will upload this file to Apple in step 3.</p>
          <p>
            <a class="button" href={`${base}/file`} download>
              Download signing request
            </a>
          </p>
        </Step>
        {passTypeId ? (
          <Step title="Sign in to Apple" picture={<CertificateListPicture />}>
            <p>
              Use the Apple Developer account that owns the identifier <code>{passTypeId}</code>. The identifier stays
              the same.
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
            {passTypeId ? <code>{passTypeId}</code> : 'your Pass Type ID'}. Upload the file from step 1, and download
            the certificate.
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
              hint="The file you downloaded from Apple in step 3."
              accept=".cer,.crt,.pem"
              required
            />
            <details>
              <summary>If Apple’s issuer certificate is missing</summary>
              <FileField
                name="intermediate"
                label="Issuer’s certificate (.cer)"
                hint="Needed only if adding the certificate fails because it is missing. Download it from www.apple.com/certificateauthority"
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
        <p>
          Its private key is deleted, too, so a certificate that Apple issues for this request can’t be used. Your
          existing certificates are kept.
        </p>
      </Confirm>
    </AccountLayout>
  );
}
