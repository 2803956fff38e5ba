import type { ShownCertificate } from '../../../domain/certificates/manage-certificates.ts';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { Radio, TextField } from '../fields.tsx';
import {
  ActionButton,
  Badge,
  Confirm,
  Fact,
  formatNumber,
  LinkButton,
  Notice,
  Panel,
  Problems,
  SubmitButton,
} from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';
import { ExpiryBadge, expiryOf, pushWords, SECTION } from './certificate-list-page.tsx';

export type TypedPush = Record<'way' | 'keyId' | 'teamId' | 'relayUrl', string>;

interface CertificatePageProps {
  certificate: ShownCertificate;
  now: number;
  typed?: TypedPush;
}

/** One certificate: its validity, its use, and its push settings. */
export function CertificatePage({ certificate, now, typed }: CertificatePageProps) {
  const mayEdit = viewerHas('owner');
  const base = hrefTo(SECTION, certificate.id);
  return (
    <AccountLayout
      title={certificate.passTypeId}
      section={SECTION}
      actions={
        mayEdit && (
          <>
            {certificate.signs && !certificate.development && (
              <ActionButton action={hrefTo(SECTION, 'requests')} title="Renew" fields={{ renewed: certificate.id }} />
            )}
            {!certificate.isDefault && certificate.signs && (
              <LinkButton href={`${base}/default`} title="Make default" look="small quiet" />
            )}
            <LinkButton href={`${base}/delete`} title="Delete" look="small quiet" />
          </>
        )
      }
    >
      <Problems />
      {certificate.signs && expiryOf(certificate.validTo, now) !== 'later' && (
        <Notice tone="careful">
          Renew it in four steps, without a Mac. Without a valid certificate, you can’t issue or update passes. Devices
          get the new signature automatically.
        </Notice>
      )}
      <dl class="facts">
        <Fact
          title="Status"
          value={
            <span class="badges">
              <ExpiryBadge validTo={certificate.validTo} now={now} />
              {certificate.isDefault && <Badge tone="calm">Default</Badge>}
              {!certificate.signs && <Badge>Replaced</Badge>}
              {certificate.development && <Badge>Development</Badge>}
            </span>
          }
        />
        <Fact title="Valid from" value={<Time at={certificate.validFrom} />} />
        <Fact title="Valid until" value={<Time at={certificate.validTo} />} />
        <Fact title="Team" value={certificate.teamId} />
        <Fact title="Signs passes" value={formatNumber(certificate.passCount)} />
        <Fact title="Pushes" value={pushWords(certificate.push)} />
      </dl>
      {mayEdit && <PushForm base={base} certificate={certificate} typed={typed} />}
    </AccountLayout>
  );
}

function PushForm({ base, certificate, typed }: { base: string; certificate: ShownCertificate; typed?: TypedPush }) {
  const { push } = certificate;
  const way = typed?.way ?? (push?.kind === 'token' ? 'p8' : push?.kind === 'relay' ? 'relay' : '');
  const keyId = typed?.keyId ?? (push?.kind === 'token' ? push.keyId : '');
  const teamId = typed?.teamId ?? (push?.kind === 'token' ? push.teamId : certificate.teamId);
  const relayUrl = typed?.relayUrl ?? (push?.kind === 'relay' ? push.url : '');
  return (
    <Panel id="push" title="Push delivery">
      <form class="stack" method="post" action={`${base}/push`} enctype="multipart/form-data">
        <p class="quiet">
          Applies to all certificates of this pass type, including renewed ones. The operator of the service sets up
          bindings that present the certificate itself (mTLS).
        </p>
        <Way value="p8" title="APNs key (.p8)" current={way} />
        <div class="columns indented">
          <TextField name="p8" label="Key file" type="file" more={{ accept: '.p8,.pem' }} />
          <TextField name="keyId" label="Key ID" value={keyId} more={{ maxlength: 10, autocomplete: 'off' }} />
          <TextField name="teamId" label="Team ID" value={teamId} more={{ maxlength: 10, autocomplete: 'off' }} />
        </div>
        <Way value="relay" title="Your own relay" current={way} />
        <div class="columns indented">
          <TextField name="relayUrl" label="URL" type="url" value={relayUrl} more={{ autocomplete: 'off' }} />
          <TextField name="relayToken" label="Token" type="password" more={{ autocomplete: 'off' }} />
        </div>
        <Way value="none" title="No pushes" current={way} />
        <SubmitButton title="Save push delivery" look="small" />
      </form>
    </Panel>
  );
}

function Way({ value, title, current }: { value: string; title: string; current: string }) {
  return <Radio name="way" label={title} value={value} checked={value === current} required />;
}

/** Confirmation page: passes on devices would change their pass type. */
export function PreferCertificatePage({ certificate }: { certificate: ShownCertificate }) {
  const base = hrefTo(SECTION, certificate.id);
  return (
    <ConfirmationPage
      title={`Make ${certificate.passTypeId} the default?`}
      section={SECTION}
      action={`${base}/default`}
      button="Make default"
      back={base}
    >
      <p>
        From now on, it signs passes of templates without a pass type. Passes that are already on devices belong to the
        current default: they stay, but no longer update. Templates with a pass type don’t change.
      </p>
    </ConfirmationPage>
  );
}

/** Confirmation page that lists the effects. A certificate that passes need can't be deleted. */
export function DeleteCertificatePage({ certificate, now }: { certificate: ShownCertificate; now: number }) {
  const base = hrefTo(SECTION, certificate.id);
  const inUse = certificate.passCount > 0 && expiryOf(certificate.validTo, now) !== 'expired';
  return (
    <AccountLayout title={`Delete ${certificate.passTypeId}?`} section={SECTION}>
      {inUse ? (
        <>
          <Notice tone="careful">
            It signs {formatNumber(certificate.passCount)} passes. Without it, nobody can download or update them. Add
            the renewed certificate of this pass type first, then delete this one.
          </Notice>
          <p>
            <LinkButton href={base} title="Back" look="quiet" />
          </p>
        </>
      ) : (
        <Confirm action={`${base}/delete`} button="Delete certificate" back={base}>
          <p>
            {certificate.signs
              ? 'The service stops signing for this pass type. Its passes on devices no longer update or get pushes. Its push settings are deleted, too.'
              : 'A newer certificate signs for this pass type, so passes keep working.'}{' '}
            You can’t restore the key.
          </p>
        </Confirm>
      )}
    </AccountLayout>
  );
}
