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
                Make it the default
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
        <Notice tone="careful">Renew it: without a valid certificate passes can be neither issued nor updated.</Notice>
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
    <Panel id="push" title="How pushes reach Apple">
      <form class="stack" method="post" action={`${base}/push`} enctype="multipart/form-data">
        <p class="quiet">
          It counts for every certificate of this pass type, also for a renewed one. A binding that presents the
          certificate itself (mTLS) is set up by the operator of the service.
        </p>
        <Way value="p8" title="With a key of Apple’s (.p8)" current={way} />
        <div class="columns indented">
          <TextField name="p8" label="Key file" type="file" more={{ accept: '.p8,.pem' }} />
          <TextField name="keyId" label="Key ID" value={keyId} more={{ maxlength: 10, autocomplete: 'off' }} />
          <TextField name="teamId" label="Team ID" value={teamId} more={{ maxlength: 10, autocomplete: 'off' }} />
        </div>
        <Way value="relay" title="By a relay of yours" current={way} />
        <div class="columns indented">
          <TextField name="relayUrl" label="Address" type="url" value={relayUrl} more={{ autocomplete: 'off' }} />
          <TextField name="relayToken" label="Token" type="password" more={{ autocomplete: 'off' }} />
        </div>
        <Way value="none" title="Not at all" current={way} />
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
      <Confirm action={`${base}/default`} button="Make it the default" back={base}>
        <p>
          Templates that name no pass type are signed with it from now on. Passes of theirs that devices have already
          belong to the present default: they stay there, but are updated no more. Templates that name their pass type
          are not touched.
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
            It signs {certificate.passCount.toLocaleString('en')} passes. Without it they could no longer be downloaded
            or updated. Add the renewed certificate of this pass type first; then this one can go.
          </Notice>
          <p>
            <a class="button quiet" href={base}>
              Back
            </a>
          </p>
        </>
      ) : (
        <Confirm action={`${base}/delete`} button="Delete the certificate" back={base}>
          <p>
            {certificate.signs
              ? 'Nothing is signed for this pass type any more: passes that devices have from it can be neither updated nor pushed. Its push settings go with it.'
              : 'A newer certificate signs for this pass type, so nothing stops working.'}{' '}
            The key cannot be brought back from here.
          </p>
        </Confirm>
      )}
    </AccountLayout>
  );
}
