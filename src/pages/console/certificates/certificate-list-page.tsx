import type { OpenRequest, OwnCertificate, OwnGoogleIssuer } from '../../../domain/certificates/manage-certificates.ts';
import { describePush } from '../../../domain/certificates/push-settings.ts';
import type { PushSettings } from '../../../domain/certificates/table.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { Badge, EmptyState, LinkButton, Notice, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';

export const SECTION = 'certificates';

interface CertificatesPageProps {
  certificates: OwnCertificate[];
  issuers: OwnGoogleIssuer[];
  requests: OpenRequest[];
  /** UTC milliseconds. */
  now: number;
}

/** Signing credentials of the account: certificates for Apple Wallet, issuers for Google Wallet. */
export function CertificatesPage(props: CertificatesPageProps) {
  const { certificates } = props;
  const base = hrefTo(SECTION);
  return (
    <AccountLayout
      title="Certificates"
      section={SECTION}
      actions={viewerHas('owner') && <LinkButton href={`${base}/new`} title="Add certificate" />}
    >
      <p class="lead">
        Certificates sign your passes. Their keys are encrypted and never shown again. If you have no certificate, the
        service signs your passes with its own.
      </p>
      <ExpiryNotice {...props} />
      <Panel id="apple" title="Apple Wallet">
        {certificates.length === 0 ? (
          <EmptyState
            title="No certificate yet"
            action={viewerHas('owner') && <LinkButton href={`${base}/new`} title="Get a certificate" look="small" />}
          >
            You need an Apple Developer account, but no Mac. We guide you through the four steps.
          </EmptyState>
        ) : (
          <CertificateTable {...props} base={base} />
        )}
        <OpenRequests {...props} base={base} />
      </Panel>
      <Issuers {...props} base={base} />
    </AccountLayout>
  );
}

/** Signing requests without a certificate from Apple. */
function OpenRequests({ requests, base }: Pick<CertificatesPageProps, 'requests'> & { base: string }) {
  if (requests.length === 0) return null;
  return (
    <>
      <h3>Waiting for Apple</h3>
      <ul class="plain">
        {requests.map(({ id, passTypeId, createdAt }) => (
          <li>
            <a href={`${base}/requests/${id}`}>{passTypeId ? `Renewal of ${passTypeId}` : 'New certificate'}</a>{' '}
            <span class="quiet">
              started on <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns the certificate with the latest expiry for each pass type, which is the first one. */
function signingOnes(certificates: OwnCertificate[]): OwnCertificate[] {
  return [...Map.groupBy(certificates, ({ passTypeId }) => passTypeId).values()].map(([first]) => first!);
}

/** Warns about pass types whose last valid certificate is about to expire. */
function ExpiryNotice({ certificates, now }: CertificatesPageProps) {
  const ending = signingOnes(certificates).filter(({ validTo }) => expiryOf(validTo, now) !== 'later');
  if (ending.length === 0) return null;
  const names = ending.map(({ passTypeId }) => passTypeId).join(', ');
  const over = ending.some(({ validTo }) => expiryOf(validTo, now) === 'expired');
  return (
    <Notice tone={over ? 'grave' : 'careful'}>
      {over ? 'A certificate has expired' : 'A certificate expires soon'}: {names}. Open it and select Renew. Push
      settings and passes on devices are kept.
    </Notice>
  );
}

function CertificateTable({ certificates, now, base }: CertificatesPageProps & { base: string }) {
  const signing = signingOnes(certificates);
  const chosen = certificates.find(({ preferred }) => preferred) ?? certificates[0]!;
  return (
    <Table
      rows={certificates}
      columns={[
        ['Pass type', (one) => <a href={`${base}/${one.id}`}>{one.passTypeId}</a>],
        [
          'Status',
          (one) => (
            <span class="badges">
              {signing.includes(one) ? <ExpiryBadge validTo={one.validTo} now={now} /> : <Badge>Replaced</Badge>}
              {one === chosen && <Badge tone="calm">Default</Badge>}
              {one.development && <Badge>Development</Badge>}
            </span>
          ),
        ],
        ['Valid until', (one) => <Time at={one.validTo} />],
        ['Team', (one) => one.teamId],
        ['Pushes', (one) => pushWords(one.push)],
      ]}
    />
  );
}

function Issuers({ issuers, base }: CertificatesPageProps & { base: string }) {
  const isOwner = viewerHas('owner');
  const href = `${base}/google`;
  return (
    <Panel id="google" title="Google Wallet" aside={isOwner && issuers.length > 0 && <a href={href}>Replace issuer</a>}>
      {issuers.length === 0 ? (
        <EmptyState
          title="No issuer yet"
          action={isOwner && <LinkButton href={href} title="Add issuer" look="small" />}
        >
          Add an issuer ID from the Google Wallet console, and the key of a service account that can use it.
        </EmptyState>
      ) : (
        <Table
          rows={issuers}
          columns={[
            ['Issuer ID', (issuer) => issuer.issuerId],
            ['Status', (_, i) => <Badge tone={i === 0 ? 'good' : undefined}>{i === 0 ? 'Active' : 'Replaced'}</Badge>],
            ['Service account', (issuer) => issuer.clientEmail],
            ['Added on', (issuer) => <Time at={issuer.createdAt} />],
          ]}
        />
      )}
    </Panel>
  );
}

const DAY_MS = 24 * 60 * 60_000;
/** Days before expiry from which a certificate should be renewed. */
const EXPIRY_WARNING_DAYS = 30;

/** Returns whether a certificate has expired or expires soon. */
export function expiryOf(validTo: number, now: number): 'expired' | 'soon' | 'later' {
  if (validTo <= now) return 'expired';
  return validTo - now <= EXPIRY_WARNING_DAYS * DAY_MS ? 'soon' : 'later';
}

export function ExpiryBadge({ validTo, now }: { validTo: number; now: number }) {
  const expiry = expiryOf(validTo, now);
  if (expiry === 'expired') return <Badge tone="grave">Expired</Badge>;
  if (expiry === 'later') return <Badge tone="good">Valid</Badge>;
  const days = Math.ceil((validTo - now) / DAY_MS);
  return <Badge tone="careful">{days === 1 ? 'Expires within a day' : `${days} days left`}</Badge>;
}

/** Describes the push settings, without secrets. */
export const pushWords = (push: PushSettings | null): string => describePush(push) ?? 'Not set up';
