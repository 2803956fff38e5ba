import { Hono } from 'hono';
import { getLink } from '../../../domain/app-configurations/configuration-details.ts';
import { getConfiguration } from '../../../domain/app-configurations/find-configuration.ts';
import { isExpired, type LinkFacts, scanPath } from '../../../domain/app-configurations/link-secrets.ts';
import { createLink, deleteLink, LINK_DAYS } from '../../../domain/app-configurations/links.ts';
import type { AppConfiguration } from '../../../domain/app-configurations/table.ts';
import { barcodeSvg } from '../../../platform/barcodes.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { Checkbox, TextField } from '../fields.tsx';
import { EntryForm, LinkButton } from '../parts.tsx';
import { page, pathTo, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { Time } from '../time.tsx';
import { hrefTo, useViewer } from '../viewer.ts';
import { LinkEnd, LinkState } from './configuration-pages.tsx';

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
  const form = await c.req.parseBody();
  const typed = { validTo: textOf(form, 'validTo'), canChangeConfig: textOf(form, 'canChangeConfig') !== '' };
  const configuration = await getConfiguration(c.var.acting, configurationIn(c));
  return submitted(c, <NewLinkPage configuration={configuration} typed={typed} />, async () => {
    const { canChangeConfig, validTo } = typed;
    const asked = { canChangeConfig, validTo: validTo === '' ? undefined : validTo };
    const { link } = await createLink(c.var.acting, configuration.id, asked);
    return pathOf(c, 'links', link.id);
  });
});

linkRoutes.get('/:link', async (c) => {
  const facts = await getLink(c.var.acting, configurationIn(c), c.req.param('link'));
  const address = c.var.acting.baseUrl + scanPath(facts.token);
  return page(c, <LinkPage facts={facts} address={address} qrSvg={await barcodeSvg('qr', address)} now={Date.now()} />);
});

linkRoutes.get('/:link/end', async (c) => {
  const facts = await getLink(c.var.acting, configurationIn(c), c.req.param('link'));
  return page(c, <EndLinkPage facts={facts} />);
});

linkRoutes.post('/:link/end', async (c) => {
  const { configuration, link } = await getLink(c.var.acting, configurationIn(c), c.req.param('link'));
  await deleteLink(c.var.acting, configuration.id, link.id);
  return c.redirect(pathOf(c), 303);
});

const configurationIn = (c: AccountPageContext): string => c.req.param('configuration') ?? '';

const pathOf = (c: AccountPageContext, ...parts: string[]): string => pathTo(c, SECTION, configurationIn(c), ...parts);

const SECTION = 'app-configurations';

const hrefOf = ({ id }: AppConfiguration) => hrefTo(SECTION, id);
const trailOf = (configuration: AppConfiguration) => [{ title: configuration.name, href: hrefOf(configuration) }];

interface NewLinkPageProps {
  configuration: AppConfiguration;
  typed?: { validTo: string; canChangeConfig: boolean };
}

function NewLinkPage({ configuration, typed }: NewLinkPageProps) {
  const back = hrefOf(configuration);
  return (
    <AccountLayout title="Create link" section={SECTION} trail={trailOf(configuration)}>
      <EntryForm action={`${back}/links`} button="Create link" back={back}>
        <TextField
          name="validTo"
          label="PIN not required until"
          type="datetime-local"
          hint={`After this time (${useViewer().account.timezone}), the link asks for its PIN. Leave empty for ${LINK_DAYS} days from now.`}
          value={typed?.validTo}
          required={false}
        />
        <Checkbox
          name="canChangeConfig"
          label="Allow switching to all configurations of the account"
          hint="For people who work at several doors."
          checked={typed?.canChangeConfig}
        />
      </EntryForm>
    </AccountLayout>
  );
}

interface LinkPageProps {
  facts: LinkFacts & { configuration: AppConfiguration };
  /** Full URL of the app. */
  address: string;
  /** The same URL as a QR code. */
  qrSvg: string;
  /** UTC milliseconds. */
  now: number;
}

function LinkPage({ facts, address, qrSvg, now }: LinkPageProps) {
  const { configuration, link, pin } = facts;
  const end = <LinkButton href={`${hrefOf(configuration)}/links/${link.id}/end`} title="Delete link" look="quiet" />;
  return (
    <AccountLayout
      title={`Open ${configuration.name}`}
      section={SECTION}
      trail={trailOf(configuration)}
      actions={end}
      scripts={[clientFile('console/copy-code.ts').path]}
    >
      <section class="panel link-card" aria-label="QR code of the link">
        <img
          class="link-qr"
          src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`}
          alt="QR code"
          width="280"
          height="280"
        />
        <div class="stack">
          <p class="lead">Point a phone’s camera at the code to open the scanner app. Anyone with the link can scan.</p>
          <dl class="rows">
            <dt>State</dt>
            <dd>
              <LinkState link={link} now={now} />
            </dd>
            <dt>{isExpired(link, now) ? 'PIN required since' : 'PIN not required until'}</dt>
            <dd>
              <LinkEnd link={link} />
            </dd>
            <dt>PIN</dt>
            <dd>
              <span class="pin">{pin}</span>
            </dd>
            <dt>First scan</dt>
            <dd>{link.usedAt === null ? 'Not used yet' : <Time at={link.usedAt} />}</dd>
            <dt>Configurations</dt>
            <dd>{link.canChangeConfig ? 'All configurations of the account' : 'Only this configuration'}</dd>
          </dl>
        </div>
      </section>
      <CodeBlock title="Link" code={address} />
    </AccountLayout>
  );
}

function EndLinkPage({ facts }: Pick<LinkPageProps, 'facts'>) {
  const { configuration, link } = facts;
  const back = hrefOf(configuration);
  return (
    <ConfirmationPage
      title="Delete this link?"
      section={SECTION}
      trail={trailOf(configuration)}
      action={`${back}/links/${link.id}/end`}
      button="Delete link"
      back={back}
    >
      <p>
        The link of <Time at={link.createdAt} /> stops working immediately, even on phones that have it open. Its scans
        are kept. You can’t undo this.
      </p>
    </ConfirmationPage>
  );
}
