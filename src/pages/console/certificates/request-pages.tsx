import type { Child } from 'hono/jsx';
import type { OpenRequest } from '../../../domain/certificates/manage-certificates.ts';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { FileField } from '../fields.tsx';
import { EntryForm, LinkButton } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { SECTION } from './certificate-list-page.tsx';

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
    <ConfirmationPage
      title="Delete the signing request?"
      section={SECTION}
      action={`${base}/delete`}
      button="Delete request"
      back={base}
    >
      <p>
        Its private key is deleted, too, so a certificate that Apple issues for this request can’t be used. Your
        existing certificates are kept.
      </p>
    </ConfirmationPage>
  );
}

/* Our own pictures of Apple's pages. The text beside each one says the same. */

function Picture({ children }: { children: Child }) {
  return (
    <svg class="step-picture" viewBox="0 0 240 150" role="presentation" aria-hidden="true" focusable="false">
      <rect class="window" x="1" y="1" width="238" height="148" rx="10" />
      <path class="line" d="M1 24H239" />
      {[14, 26, 38].map((x) => (
        <circle class="dot" cx={x} cy="12.5" r="3.5" />
      ))}
      {children}
    </svg>
  );
}

function Bar({ x, y, width, look = 'text' }: { x: number; y: number; width: number; look?: string }) {
  return <rect class={look} x={x} y={y} width={width} height="8" rx="4" />;
}

/** The private key stays, the request file leaves. */
export function RequestPicture() {
  return (
    <Picture>
      <g class="mark">
        <circle cx="58" cy="82" r="15" />
        <path d="M72 82H104M94 82V93M103 82V91" />
      </g>
      <path class="mark" d="M118 82H142M135 75L142 82L135 89" />
      <path class="sheet" d="M158 52H188L202 66V114H158Z" />
      <path class="mark" d="M188 52V66H202" />
      {[76, 86, 96].map((y) => (
        <Bar x={166} y={y} width={y === 96 ? 18 : 28} />
      ))}
    </Picture>
  );
}

/** A list of identifier types with one selected, and the button that adds an identifier. */
function IdentifierPicture() {
  return (
    <Picture>
      <Bar x={20} y={36} width={74} look="title" />
      <circle class="chosen" cx="212" cy="40" r="10" />
      <path class="on-chosen" d="M212 35V45M207 40H217" />
      {[62, 84, 106, 128].map((y, i) => (
        <>
          <circle class={i === 2 ? 'chosen' : 'choice'} cx="28" cy={y + 4} r="6" />
          <Bar x={44} y={y} width={[90, 118, 78, 102][i]!} look={i === 2 ? 'title' : 'text'} />
        </>
      ))}
    </Picture>
  );
}

/** A table of certificates, one of which expires soon. */
function CertificateListPicture() {
  return (
    <Picture>
      <Bar x={20} y={36} width={92} look="title" />
      {[62, 88, 114].map((y, i) => (
        <>
          <path class="line" d={`M20 ${y - 7}H220`} />
          <Bar x={20} y={y} width={i === 1 ? 110 : 84} look={i === 1 ? 'title' : 'text'} />
          <Bar x={164} y={y} width={56} look={i === 1 ? 'chosen' : 'text'} />
        </>
      ))}
    </Picture>
  );
}

/** A form for the request file, and the certificate it returns. */
function ChooseFilePicture() {
  return (
    <Picture>
      <Bar x={20} y={36} width={120} look="title" />
      <rect class="drop" x="20" y="56" width="120" height="50" rx="6" />
      <path class="mark" d="M80 94V70M71 79L80 70L89 79" />
      <rect class="chosen" x="20" y="118" width="60" height="16" rx="8" />
      <g class="mark">
        <circle cx="190" cy="78" r="22" />
        <path d="M180 78L188 86L201 71M176 96L172 124L190 114L208 124L204 96" />
      </g>
    </Picture>
  );
}
