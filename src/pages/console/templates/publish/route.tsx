import { Hono } from 'hono';
import type { AccountContext } from '../../../../domain/context.ts';
import { notFound } from '../../../../domain/errors.ts';
import { deleteNotification } from '../../../../domain/notifications/manage-notifications.ts';
import { differences } from '../../../../domain/templates/differences.ts';
import { getDefinition } from '../../../../domain/templates/get-template.ts';
import { openTemplate } from '../../../../domain/templates/open-template.ts';
import { publishTemplate } from '../../../../domain/templates/publish-template.ts';
import { wireDefinition } from '../../../../domain/templates/stored-definition.ts';
import type { AccountEnv, AccountPageContext } from '../../console-env.ts';
import { page, renamed, submitted, textOf } from '../../reply.tsx';
import { requirePrivilege } from '../../require-user.ts';
import { drawThumbnail } from '../draw-thumbnail.ts';
import { templatePath } from '../template-layout.tsx';
import { PublishPage, type PublishPageProps } from './publish-page.tsx';

/** Routes that preview the changes of a publication, and publish. */
export const publishRoutes = new Hono<AccountEnv>();

publishRoutes.get('/:template/publish', async (c) => {
  const published = c.req.query('published') !== undefined;
  return page(c, await publishPage(c, { published }));
});

publishRoutes.post('/:template/publish', requirePrivilege('templates.edit'), async (c) => {
  const { acting } = c.var;
  const id = c.req.param('template');
  const form = await c.req.parseBody();
  const later = textOf(form, 'when') === 'later';
  const typed = { later, date: textOf(form, 'date') };
  const reviewed = Number(textOf(form, 'version'));
  return submitted(
    c,
    async () => {
      const date = later ? typed.date.replace('T', ' ') : undefined;
      await publishTemplate(acting, id, date, reviewed);
      return c.redirect(`${templatePath(acting.account.id, id, 'publish')}?published`, 303);
    },
    () => publishPage(c, { typed }),
    renamed({ publicationDate: 'date' }),
  );
});

/** Cancels the scheduled publication. */
publishRoutes.post('/:template/publish/cancel', requirePrivilege('templates.edit'), async (c) => {
  const { acting } = c.var;
  const id = c.req.param('template');
  const { publication } = await openTemplate(acting, id);
  if (!publication) throw notFound();
  await deleteNotification(acting, publication.id);
  return c.redirect(templatePath(acting.account.id, id, 'publish'), 303);
});

type Happened = Pick<PublishPageProps, 'published' | 'typed'>;

async function publishPage(c: AccountPageContext, happened: Happened) {
  const { acting } = c.var;
  const opened = await openTemplate(acting, c.req.param('template')!);
  const { template, definition, version } = opened;
  const isPublished = template.publishedVersion >= version;
  const before = isPublished ? definition : await getDefinition(acting, template.id, template.publishedVersion);
  const changes = differences(wireDefinition(acting, before), wireDefinition(acting, definition));
  const [old, now] = await drawnSides(acting, template.id, [
    { version: template.publishedVersion, definition: before },
    { version, definition },
  ]);
  return <PublishPage opened={opened} changes={changes} old={old!} now={now!} {...happened} />;
}

/** Draws both definitions with the same sample values. */
function drawnSides(
  ctx: AccountContext,
  templateId: string,
  sides: Omit<Parameters<typeof drawThumbnail>[1], never>[],
) {
  return Promise.all(
    sides.map((side, at) => drawThumbnail(ctx, side, `${templateId}-${at === 0 ? 'old' : 'new'}`, { withCode: true })),
  );
}
