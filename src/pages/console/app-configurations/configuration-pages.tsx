import type {
  ConfigurationDetails,
  ConfigurationFacts,
} from '../../../domain/app-configurations/configuration-details.ts';
import { isExpired } from '../../../domain/app-configurations/link-secrets.ts';
import type { AppConfiguration, AppConfigurationLink } from '../../../domain/app-configurations/table.ts';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { type Listed, ListPanel, Table } from '../list-table.tsx';
import { Badge, EmptyState, formatNumber, LinkButton, Pager, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';
import { ScannerPreview } from './configuration-form.tsx';
import { SWITCHES } from './form-values.ts';

const SECTION = 'app-configurations';

/** The list of scanner configurations with their templates and place. */
export function ConfigurationListPage(list: Listed<ConfigurationFacts>) {
  const mayEdit = viewerHas('scan');
  const base = hrefTo(SECTION);
  const create = mayEdit && <LinkButton href={`${base}/new`} title="Create configuration" />;
  return (
    <AccountLayout title="App configurations" section={SECTION} actions={list.rows.length > 0 && create}>
      <p class="lead">
        An app configuration defines which passes a scanner accepts, and the effect of a scan. Its link opens the
        scanner app on any phone, without an installation.
      </p>
      <ListPanel
        {...list}
        base={base}
        from="after"
        empty={
          <EmptyState title="No configurations yet" action={create || undefined}>
            {mayEdit
              ? 'Create a configuration, open its link on a phone, and scan your first pass.'
              : 'A member with the privilege “scan” can create one.'}
          </EmptyState>
        }
        columns={[
          ['Name', ({ id, name }) => <a href={`${base}/${id}`}>{name}</a>],
          ['Place', ({ place }) => place || '–'],
          ['Effect of a scan', ({ scanMode }) => <ScanModeBadge scanMode={scanMode} />],
          ['Templates', templatesOf],
          ['Links', ({ linkCount }) => formatNumber(linkCount), 'number'],
          ['Scans', (configuration) => <ScansLink {...configuration} />, 'number'],
        ]}
      />
    </AccountLayout>
  );
}

function ScansLink({ id, name, scanCount }: ConfigurationFacts) {
  return (
    <a href={`${hrefTo('scans')}?configuration=${id}`} aria-label={`${scanCount} scans of ${name}`}>
      {formatNumber(scanCount)}
    </a>
  );
}

function ScanModeBadge({ scanMode }: { scanMode: 0 | 1 }) {
  return scanMode === 0 ? <Badge tone="careful">Voids</Badge> : <Badge tone="calm">Records attendance</Badge>;
}

function templatesOf({ templateCount, templateName }: ConfigurationFacts): string {
  if (templateCount === 0) return 'All templates';
  return templateCount === 1 ? (templateName ?? 'A deleted template') : `${templateCount} templates`;
}

const PROPERTY_TYPES = { unicode: 'text', double: 'number', boolean: 'yes or no' };

interface ConfigurationPageProps {
  shown: ConfigurationDetails;
  next?: string;
  isFirst: boolean;
  /** UTC milliseconds. */
  now: number;
}

/** One configuration: its settings, its appearance, and its links. */
export function ConfigurationPage({ shown, next, isFirst, now }: ConfigurationPageProps) {
  const { configuration, templates, links } = shown;
  const base = hrefTo(SECTION, configuration.id);
  const scans = `${hrefTo('scans')}?configuration=${configuration.id}`;
  const mayEdit = viewerHas('scan');
  const actions = mayEdit && (
    <>
      <LinkButton href={`${base}/edit`} title="Edit" look="quiet" />
      <LinkButton href={`${base}/delete`} title="Delete" look="quiet" />
    </>
  );
  const newLink = mayEdit && <LinkButton href={`${base}/links/new`} title="Create link" look="small" />;
  return (
    <AccountLayout title={configuration.name} section={SECTION} actions={actions || undefined}>
      <div class="looks">
        <Panel id="about" title="Settings" aside={<a href={scans}>{formatNumber(configuration.scanCount)} scans</a>}>
          <About configuration={configuration} templates={templates} />
        </Panel>
        <ScannerPreview {...configuration} />
      </div>
      <Panel id="links" title="Links" aside={links.length > 0 && newLink}>
        {links.length === 0 ? (
          <EmptyState title="No links yet" action={newLink || undefined}>
            A link opens the scanner app on a phone. Create one, then scan its QR code from this screen.
          </EmptyState>
        ) : (
          <LinkTable base={base} links={links} now={now} />
        )}
        <Pager older={next && `${base}?before=${next}`} newer={isFirst ? undefined : base} />
      </Panel>
    </AccountLayout>
  );
}

interface AboutProps {
  configuration: AppConfiguration;
  templates: ConfigurationDetails['templates'];
}

function About({ configuration, templates }: AboutProps) {
  const { place, scanMode, type, additionalProperties, timeToShowAutoSaveConfirmation: seconds } = configuration;
  const rules = SWITCHES.filter(({ value }) => configuration[value]).map(({ title }) => title);
  const isForAll = configuration.passTemplateId === null && configuration.passTemplateIds === null;
  return (
    <dl class="rows">
      <dt>Effect of a scan</dt>
      <dd>
        <ScanModeBadge scanMode={scanMode} />
      </dd>
      <dt>Place</dt>
      <dd>{place || 'Any place'}</dd>
      <dt>Templates</dt>
      <dd>
        {isForAll && 'All templates'}
        {!isForAll && templates.length === 0 && 'Deleted templates: no pass is accepted'}
        {templates.map(({ id, name }, i) => (
          <>
            {i > 0 && ', '}
            <a href={hrefTo('templates', id)}>{name}</a>
          </>
        ))}
      </dd>
      <dt>Additional questions</dt>
      <dd>
        {additionalProperties.length === 0
          ? 'None'
          : additionalProperties.map((one) => `${one.name} (${PROPERTY_TYPES[one.type]})`).join(', ')}
      </dd>
      <dt>Stored value</dt>
      <dd>{rules.length === 0 ? 'Unchanged' : rules.join(', ')}</dd>
      <dt>Result display time</dt>
      <dd>{seconds === 0 ? 'Until someone taps it' : `${seconds} seconds`}</dd>
      <dt>App type</dt>
      <dd>{type === 0 ? 'App' : 'URL'}</dd>
      <dt>Identifier</dt>
      <dd>
        <code>{configuration.id}</code>
      </dd>
    </dl>
  );
}

function LinkTable({ base, links, now }: { base: string; links: AppConfigurationLink[]; now: number }) {
  const mayEdit = viewerHas('scan');
  return (
    <Table
      hasTwoLines
      rows={links}
      columns={[
        ['Created on', (link) => <Time at={link.createdAt} />],
        ['State', (link) => <LinkState link={link} now={now} />],
        ['PIN not required until', (link) => <LinkEnd link={link} />],
        ['First scan', (link) => (link.usedAt === null ? 'Not used yet' : <Time at={link.usedAt} />)],
        ['Configurations', (link) => (link.canChangeConfig ? 'All' : 'Only this one')],
      ]}
      actions={
        mayEdit
          ? (link) => (
              <>
                <LinkButton href={`${base}/links/${link.id}`} title="Show QR code" look="small quiet" />
                <LinkButton href={`${base}/links/${link.id}/end`} title="Delete" look="small quiet" />
              </>
            )
          : undefined
      }
    />
  );
}

/** Callers write a year such as 2999 or 9999 for a link without an end. */
const NO_END_AT = Date.UTC(2900);

/** The time from which a link requires its PIN. */
export function LinkEnd({ link: { validToAt } }: { link: AppConfigurationLink }) {
  return validToAt >= NO_END_AT ? <>No end</> : <Time at={validToAt} />;
}

/** Whether a link is still valid, and whether it was used. */
export function LinkState({ link, now }: { link: AppConfigurationLink; now: number }) {
  const isLocked = link.pinLockedUntilAt !== null && link.pinLockedUntilAt > now;
  return (
    <span class="badges">
      {isExpired(link, now) ? (
        <Badge tone="careful">Expired: requires its PIN</Badge>
      ) : (
        <Badge tone="good">Valid</Badge>
      )}
      {isLocked && <Badge tone="grave">Locked after wrong PINs</Badge>}
      {link.usedAt !== null && <Badge>Used</Badge>}
    </span>
  );
}

/** Confirmation page before a configuration is deleted. */
export function DeleteConfigurationPage({ configuration }: { configuration: AppConfiguration }) {
  const back = hrefTo(SECTION, configuration.id);
  const { name, scanCount } = configuration;
  return (
    <ConfirmationPage
      title={`Delete ${name}?`}
      section={SECTION}
      trail={[{ title: name, href: back }]}
      action={`${back}/delete`}
      button="Delete configuration"
      back={back}
    >
      <p>
        Its links stop working immediately
        {scanCount > 0 && <>, and its {scanCount === 1 ? 'scan is' : `${formatNumber(scanCount)} scans are`} deleted</>}
        . Passes keep their state. You can’t undo this.
      </p>
    </ConfirmationPage>
  );
}
