import { Hono } from 'hono';
import { notFound } from '../../../../domain/errors.ts';
import { deleteNotification } from '../../../../domain/notifications/manage-notifications.ts';
import { type Difference, differences } from '../../../../domain/templates/differences.ts';
import { getDefinition } from '../../../../domain/templates/get-template.ts';
import { type OpenedTemplate, openTemplate } from '../../../../domain/templates/open-template.ts';
import { publishTemplate } from '../../../../domain/templates/publish-template.ts';
import { wireDefinition } from '../../../../domain/templates/stored-definition.ts';
import { versionNumber } from '../../../../domain/versions.ts';
import { drawCard } from '../../../card/draw-card.tsx';
import type { AccountEnv, AccountPageContext } from '../../console-env.ts';
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
import { page, pathTo, renamed, submitted, textOf } from '../../reply.tsx';
import { requirePrivilege } from '../../require-user.ts';
import { Time } from '../../time.tsx';
import { hrefTo, useViewer, viewerHas } from '../../viewer.ts';
import { SECTION, TemplateLayout } from '../template-layout.tsx';
import { type DrawnThumbnail, drawThumbnail, imageUrl } from '../thumbnail.tsx';
import { ChangeTable } from './change-table.tsx';

/** Routes that preview the changes of a publication, and publish. */
export const publishRoutes = new Hono<AccountEnv>();

publishRoutes.get('/:template/publish', async (c) => {
  const published = c.req.query('published') !== undefined;
  return page(c, await publishPage(c, { published }));
});

publishRoutes.post('/:template/publish', requirePrivilege('templates.edit'), async (c) => {
  const id = c.req.param('template');
  const form = await c.req.parseBody();
  const later = textOf(form, 'when') === 'later';
  const typed = { later, date: textOf(form, 'date') };
  const reviewed = Number(textOf(form, 'version'));
  const again = () => publishPage(c, { typed });
  const work = async () => {
    const date = later ? typed.date.replace('T', ' ') : undefined;
    await publishTemplate(c.var.acting, id, date, reviewed);
    return `${pathTo(c, 'templates', id, 'publish')}?published`;
  };
  return submitted(c, again, work, renamed({ publicationDate: 'date' }));
});

/** Cancels the scheduled publication. */
publishRoutes.post('/:template/publish/cancel', requirePrivilege('templates.edit'), async (c) => {
  const id = c.req.param('template');
  const { publication } = await openTemplate(c.var.acting, id);
  if (!publication) throw notFound();
  await deleteNotification(c.var.acting, publication.id);
  return c.redirect(pathTo(c, 'templates', id, 'publish'), 303);
});

type Happened = Pick<PublishPageProps, 'published' | 'typed'>;

async function publishPage(c: AccountPageContext, happened: Happened) {
  const { acting } = c.var;
  const opened = await openTemplate(acting, c.req.param('template')!);
  const { template, definition, version } = opened;
  const isPublished = template.publishedVersion >= version;
  const before = isPublished ? definition : await getDefinition(acting, template.id, template.publishedVersion);
  const changes = differences(wireDefinition(acting, before), wireDefinition(acting, definition));
  // Both have the same sample values.
  const draw = (side: Pick<OpenedTemplate, 'version' | 'definition'>, name: string) =>
    drawThumbnail(acting, side, `${template.id}-${name}`, { withCode: true });
  const old = await draw({ version: template.publishedVersion, definition: before }, 'old');
  const now = await draw({ version, definition }, 'new');
  return <PublishPage opened={opened} changes={changes} old={old} now={now} {...happened} />;
}

interface PublishPageProps {
  opened: OpenedTemplate;
  changes: Difference[];
  /** The published and the newest definition, with the same sample values. */
  old: DrawnThumbnail;
  now: DrawnThumbnail;
  published?: boolean;
  typed?: { later: boolean; date: string };
}

/** Compares what passes show now with the new version, and publishes it. */
function PublishPage(props: PublishPageProps) {
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
