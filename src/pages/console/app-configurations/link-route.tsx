import { Hono } from 'hono';
import { getLink } from '../../../domain/app-configurations/configuration-details.ts';
import { getConfiguration } from '../../../domain/app-configurations/find-configuration.ts';
import { scanPath } from '../../../domain/app-configurations/link-secrets.ts';
import { createLink, deleteLink } from '../../../domain/app-configurations/links.ts';
import { barcodeSvg } from '../../../platform/barcodes.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { EndLinkPage, LinkPage, NewLinkPage } from './link-pages.tsx';

/**
 * The links of one configuration. Anyone with a link can open the app, so only members with the privilege see links.
 */
export const linkRoutes = new Hono<AccountEnv>();

linkRoutes.use('*', requirePrivilege('scan'));

linkRoutes.get('/new', async (c) => {
  const configuration = await getConfiguration(c.var.acting, configurationIn(c));
  return page(c, <NewLinkPage configuration={configuration} />);
});

linkRoutes.post('/', async (c) => {
  const { acting } = c.var;
  const form = await c.req.parseBody();
  const typed = { validTo: textOf(form, 'validTo'), canChangeConfig: textOf(form, 'canChangeConfig') !== '' };
  const configuration = await getConfiguration(acting, configurationIn(c));
  return submitted(
    c,
    async () => {
      const { canChangeConfig, validTo } = typed;
      const asked = { canChangeConfig, validTo: validTo === '' ? undefined : validTo };
      const { link } = await createLink(acting, configuration.id, asked);
      return c.redirect(pathOf(c, 'links', link.id), 303);
    },
    () => <NewLinkPage configuration={configuration} typed={typed} />,
  );
});

linkRoutes.get('/:link', async (c) => {
  const { acting } = c.var;
  const facts = await getLink(acting, configurationIn(c), c.req.param('link'));
  const address = acting.baseUrl + scanPath(facts.token);
  const shown = { facts, address, qrSvg: await barcodeSvg('qr', address), now: Date.now() };
  return page(c, <LinkPage {...shown} />);
});

linkRoutes.get('/:link/end', async (c) => {
  const facts = await getLink(c.var.acting, configurationIn(c), c.req.param('link'));
  return page(c, <EndLinkPage facts={facts} />);
});

linkRoutes.post('/:link/end', async (c) => {
  const { acting } = c.var;
  const { configuration, link } = await getLink(acting, configurationIn(c), c.req.param('link'));
  await deleteLink(acting, configuration.id, link.id);
  return c.redirect(pathOf(c), 303);
});

function configurationIn(c: AccountPageContext): string {
  return c.req.param('configuration') ?? '';
}

function pathOf(c: AccountPageContext, ...parts: string[]): string {
  return sectionPath(c.var.acting.account.id, 'app-configurations', configurationIn(c), ...parts);
}
