import type { ShownCertificate } from '../../../domain/certificates/manage-certificates.ts';
import type { Issue } from '../../../domain/errors.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { Radio, TextField } from '../fields.tsx';
import { Badge, Confirm, Fact, Notice, Panel, Problems } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { SECTION } from './certificate-list-page.tsx';
import { ExpiryBadge, expiryOf, pushWords } from './words.tsx';

export interface TypedPush {
  way: string;
  keyId: string;
  teamId: string;
  relayUrl: string;
}

interface CertificatePageProps {
  frame: Frame;
  certificate: ShownCertificate;
  mayEdit: boolean;
  now: number;
  typed?: TypedPush;
  messages?: Issue[];
}

/** One certificate: how long it lasts, what it signs, and how its pushes reach Apple. */
export function CertificatePage({ frame, certificate, mayEdit, now, typed, messages = [] }: CertificatePageProps) {
  const base = sectionPath(frame.account.id, SECTION, certificate.id);
  const { timezone } = frame.account;
  return (
    <AccountLayout
      frame={frame}
      title={certificate.passTypeId}
      section={SECTION}
      actions={
        mayEdit && (
          <>
            {!certificate.isDefault && certificate.signs && (
              <a class="button small quiet" href={`${base}/default`}>
                Make default
              </a>
            )}
            <a class="button small quiet" href={`${base}/delete`}>
              Delete
            </a>
          </>
        )
      }
    >
      <Problems messages={messages} />
      {certificate.signs && expiryOf(certificate.validTo, now) !== 'later' && (
        <Notice tone="careful">Renew it. Without a valid certificate you can’t issue or update passes.</Notice>
      )}
      <dl class="facts">
        <Fact title="Status">
          <span class="badges">
            <ExpiryBadge validTo={certificate.validTo} now={now} />
            {certificate.isDefault && <Badge tone="calm">Default</Badge>}
            {!certificate.signs && <Badge>Replaced</Badge>}
            {certificate.development && <Badge>Development</Badge>}
          </span>
        </Fact>
        <Fact title="Valid from">
          <Time at={certificate.validFrom} timezone={timezone} />
        </Fact>
        <Fact title="Valid until">
          <Time at={certificate.validTo} timezone={timezone} />
        </Fact>
        <Fact title="Team">{certificate.teamId}</Fact>
        <Fact title="Signs passes">{certificate.passCount.toLocaleString('en')}</Fact>
        <Fact title="Pushes">{pushWords(certificate.push)}</Fact>
      </dl>
      {mayEdit && <PushForm base={base} certificate={certificate} typed={typed} />}
    </AccountLayout>
  );
}

function PushForm(props: { base: string; certificate: ShownCertificate; typed?: TypedPush }) {
  const { base, certificate, typed } = props;
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
          <TextField name="relayUrl" label="Address" type="url" value={relayUrl} more={{ autocomplete: 'off' }} />
          <TextField name="relayToken" label="Token" type="password" more={{ autocomplete: 'off' }} />
        </div>
        <Way value="none" title="No pushes" current={way} />
        <button class="button small" type="submit">
          Save
        </button>
      </form>
    </Panel>
  );
}

function Way({ value, title, current }: { value: string; title: string; current: string }) {
  return <Radio name="way" label={title} value={value} checked={value === current} required />;
}

/** Asks, because passes that devices have would change their pass type. */
export function PreferCertificatePage({ frame, certificate }: { frame: Frame; certificate: ShownCertificate }) {
  const base = sectionPath(frame.account.id, SECTION, certificate.id);
  return (
    <AccountLayout frame={frame} title={`Make ${certificate.passTypeId} the default?`} section={SECTION}>
      <Confirm action={`${base}/default`} button="Make default" back={base}>
        <p>
          It signs templates without a pass type from now on. Their passes on devices belong to the current default:
          they stay, but no longer update. Templates with a pass type don’t change.
        </p>
      </Confirm>
    </AccountLayout>
  );
}

/** Asks, and says what stops working; what passes need cannot be deleted. */
export function DeleteCertificatePage({
  frame,
  certificate,
  now,
}: {
  frame: Frame;
  certificate: ShownCertificate;
  now: number;
}) {
  const base = sectionPath(frame.account.id, SECTION, certificate.id);
  const inUse = certificate.passCount > 0 && expiryOf(certificate.validTo, now) !== 'expired';
  return (
    <AccountLayout frame={frame} title={`Delete ${certificate.passTypeId}?`} section={SECTION}>
      {inUse ? (
        <>
          <Notice tone="careful">
            It signs {certificate.passCount.toLocaleString('en')} passes. Without it, nobody can download or update
            them. Add the renewed certificate of this pass type first, then delete this one.
          </Notice>
          <p>
            <a class="button quiet" href={base}>
              Back
            </a>
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
