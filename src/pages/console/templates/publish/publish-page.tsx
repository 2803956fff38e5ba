import type { Difference } from '../../../../domain/templates/differences.ts';
import type { OpenedTemplate } from '../../../../domain/templates/open-template.ts';
import { versionNumber } from '../../../../domain/versions.ts';
import { drawCard } from '../../../card/draw-card.tsx';
import { Radio, TextField } from '../../fields.tsx';
import {
  ActionButton,
  EmptyState,
  formatNumber,
  LinkButton,
  Notice,
  Panel,
  Problems,
  SubmitButton,
} from '../../parts.tsx';
import { Time } from '../../time.tsx';
import { hrefTo, useViewer, viewerHas } from '../../viewer.ts';
import type { DrawnThumbnail } from '../draw-thumbnail.ts';
import { imageUrl } from '../picture.ts';
import { SECTION, TemplateLayout } from '../template-layout.tsx';
import { ChangeTable } from './change-table.tsx';

export interface PublishPageProps {
  opened: OpenedTemplate;
  changes: Difference[];
  /** The published and the newest definition, with the same sample values. */
  old: DrawnThumbnail;
  now: DrawnThumbnail;
  published?: boolean;
  typed?: { later: boolean; date: string };
}

/** Compares what passes show now with the new version, and publishes it. */
export function PublishPage(props: PublishPageProps) {
  const { opened, changes, old, now } = props;
  const { template } = opened;
  const isPublished = template.publishedVersion >= template.version;
  const mayEdit = viewerHas('templates.edit');
  return (
    <TemplateLayout template={template} current="publish" css={old.css + now.css}>
      <Problems />
      {props.published && isPublished && (
        <Notice tone="good">Published. Devices show the new version with their next update.</Notice>
      )}
      {isPublished ? (
        <EmptyState
          title="No unpublished changes"
          action={<LinkButton href={hrefTo(SECTION, template.id)} title="Edit template" />}
        >
          All passes show the newest version of this template, number {versionNumber(template.version)}.
        </EmptyState>
      ) : (
        <>
          <Scheduled {...props} mayEdit={mayEdit} />
          <div class="sides">
            <Side title={`Passes show now · version ${versionNumber(template.publishedVersion)}`} drawn={old} />
            <Side title={`Passes will show · version ${versionNumber(template.version)}`} drawn={now} />
          </div>
          <Panel id="changes" title={changes.length === 1 ? 'One change' : `${formatNumber(changes.length)} changes`}>
            <ChangeTable changes={changes} before="Current" after="New" />
          </Panel>
          {mayEdit && <PublishForm {...props} />}
        </>
      )}
    </TemplateLayout>
  );
}

function Side({ title, drawn }: { title: string; drawn: DrawnThumbnail }) {
  const { card, barcodeUrl, now } = drawn;
  return (
    <figure class="side">
      <figcaption>{title}</figcaption>
      {drawCard(card, { face: 'both', language: card.language, imageUrl, barcodeUrl, now })}
    </figure>
  );
}

function Scheduled({ opened, mayEdit }: PublishPageProps & { mayEdit: boolean }) {
  const { publication, template } = opened;
  if (!publication) return null;
  const path = hrefTo(SECTION, template.id);
  return (
    <Notice tone="calm">
      <p>
        Version {versionNumber(publication.version ?? 0)} is scheduled for publication{' '}
        <strong>
          <Time at={publication.publicationAt} />
        </strong>
        .{publication.version !== template.version && ' Later changes aren’t part of it.'}
      </p>
      {mayEdit && <ActionButton action={`${path}/publish/cancel`} title="Cancel publication" />}
    </Notice>
  );
}

function PublishForm({ opened, typed }: PublishPageProps) {
  const { template } = opened;
  const { passCount } = template;
  const path = hrefTo(SECTION, template.id);
  const reach =
    passCount === 0
      ? 'There are no passes yet.'
      : passCount === 1
        ? 'Updates the one pass of this template.'
        : `Updates all ${formatNumber(passCount)} passes of this template.`;
  return (
    <form class="panel stack" method="post" action={`${path}/publish`} aria-labelledby="publish-title">
      <h2 id="publish-title">Publish</h2>
      <p>
        <strong>{reach}</strong>
        {passCount > 0 && ' Passes created since the change show it already. Devices fetch it automatically.'} You can’t
        undo a publication, but you can publish another version.
      </p>
      <input type="hidden" name="version" value={String(template.version)} />
      <input type="hidden" name="name" value={template.name} />
      <fieldset class="choices">
        <legend>Publication time</legend>
        <Radio name="when" label="Now" value="now" checked={!typed?.later} />
        <Radio name="when" label="Later" value="later" checked={typed?.later} />
      </fieldset>
      <div class="when-later">
        <TextField
          name="date"
          label="Date and time"
          type="datetime-local"
          hint={`Time zone: ${useViewer().account.timezone}. Replaces a publication that is already scheduled.`}
          value={typed?.date}
        />
      </div>
      <SubmitButton title={opened.publication ? 'Publish again' : 'Publish'} />
    </form>
  );
}
