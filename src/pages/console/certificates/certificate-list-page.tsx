import type { OwnCertificate, OwnGoogleIssuer } from '../../../domain/certificates/manage-certificates.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { Badge, EmptyState, Notice, Panel } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { ExpiryBadge, expiryOf, pushWords } from './words.tsx';

export const SECTION = 'certificates';

interface CertificatesPageProps {
  frame: Frame;
  certificates: OwnCertificate[];
  issuers: OwnGoogleIssuer[];
  mayEdit: boolean;
  /** UTC milliseconds. */
  now: number;
}

/** What signs the account's passes: for Apple Wallet certificates, for Google Wallet issuers. */
export function CertificatesPage(props: CertificatesPageProps) {
  const { frame, certificates, mayEdit } = props;
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout
      frame={frame}
      title="Certificates"
      section={SECTION}
      actions={
        mayEdit && (
          <a class="button" href={`${base}/new`}>
            Add certificate
          </a>
        )
      }
    >
      <p class="lead">
        Certificates sign your passes. Their keys are encrypted and never shown again. Without a certificate of your
        own, the service signs your passes.
      </p>
      <ExpiryNotice {...props} />
      <Panel id="apple" title="Apple Wallet">
        {certificates.length === 0 ? (
          <EmptyState title="No certificate yet">
            Create a Pass Type ID and its certificate in your Apple Developer account, export it as .p12, and add it
            here.
          </EmptyState>
        ) : (
          <CertificateTable {...props} base={base} />
        )}
      </Panel>
      <Issuers {...props} base={base} />
    </AccountLayout>
  );
}

/** A pass type is in danger when the certificate that is valid longest is about to end. */
function ExpiryNotice({ certificates, now }: CertificatesPageProps) {
  const newest = [...Map.groupBy(certificates, ({ passTypeId }) => passTypeId).values()].map(([first]) => first!);
  const ending = newest.filter(({ validTo }) => expiryOf(validTo, now) !== 'later');
  if (ending.length === 0) return null;
  const names = ending.map(({ passTypeId }) => passTypeId).join(', ');
  const over = ending.some(({ validTo }) => expiryOf(validTo, now) === 'expired');
  return (
    <Notice tone={over ? 'grave' : 'careful'}>
      {over ? 'A certificate has expired' : 'A certificate expires soon'}: {names}. Renew it in your Apple Developer
      account and add it here. Push settings and passes on devices stay.
    </Notice>
  );
}

function CertificateTable({ frame, certificates, now, base }: CertificatesPageProps & { base: string }) {
  const chosen = certificates.find(({ preferred }) => preferred) ?? certificates[0]!;
  return (
    <ListTable columns={['Pass type', 'Status', 'Valid until', 'Team', 'Pushes']}>
      {certificates.map((one) => (
        <tr>
          <th scope="row">
            <a href={`${base}/${one.id}`}>{one.passTypeId}</a>
          </th>
          <td data-label="Status">
            <span class="badges">
              <ExpiryBadge validTo={one.validTo} now={now} />
              {one === chosen && <Badge tone="calm">Default</Badge>}
              {one.development && <Badge>Development</Badge>}
            </span>
          </td>
          <td data-label="Valid until">
            <Time at={one.validTo} timezone={frame.account.timezone} />
          </td>
          <td data-label="Team">{one.teamId}</td>
          <td data-label="Pushes">{pushWords(one.push)}</td>
        </tr>
      ))}
    </ListTable>
  );
}

function Issuers({ frame, issuers, mayEdit, base }: CertificatesPageProps & { base: string }) {
  const add = mayEdit && <a href={`${base}/google`}>{issuers.length === 0 ? 'Add issuer' : 'Replace issuer'}</a>;
  return (
    <Panel id="google" title="Google Wallet" aside={add}>
      {issuers.length === 0 ? (
        <EmptyState title="No issuer yet">
          Add an issuer ID from the Google Wallet console, and the key of a service account that can use it.
        </EmptyState>
      ) : (
        <ListTable columns={['Issuer ID', 'Status', 'Service account', 'Added on']}>
          {issuers.map((issuer, i) => (
            <tr>
              <th scope="row">{issuer.issuerId}</th>
              <td data-label="Status">
                <Badge tone={i === 0 ? 'good' : undefined}>{i === 0 ? 'Used' : 'Replaced'}</Badge>
              </td>
              <td data-label="Service account">{issuer.clientEmail}</td>
              <td data-label="Added on">
                <Time at={issuer.createdAt} timezone={frame.account.timezone} />
              </td>
            </tr>
          ))}
        </ListTable>
      )}
    </Panel>
  );
}
