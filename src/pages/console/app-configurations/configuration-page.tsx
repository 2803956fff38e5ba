import type { ConfigurationDetails } from '../../../domain/app-configurations/configuration-details.ts';
import { isExpired } from '../../../domain/app-configurations/link-secrets.ts';
import type { AppConfiguration, AppConfigurationLink } from '../../../domain/app-configurations/table.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { Badge, Confirm, EmptyState, Pager, Panel } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { ScanModeBadge } from './configuration-list.tsx';
import { SWITCHES } from './form-values.ts';
import { ScannerPreview } from './scanner-preview.tsx';

const SECTION = 'app-configurations';
const PROPERTY_TYPES = { unicode: 'text', double: 'number', boolean: 'yes or no' };

interface ConfigurationPageProps {
  frame: Frame;
  shown: ConfigurationDetails;
  mayEdit: boolean;
  next?: string;
  isFirst: boolean;
  /** UTC milliseconds. */
  now: number;
}

/** One configuration: what it is, how it looks, and who may open it. */
export function ConfigurationPage({ frame, shown, mayEdit, next, isFirst, now }: ConfigurationPageProps) {
  const { configuration, templates, links } = shown;
  const base = sectionPath(frame.account.id, SECTION, configuration.id);
  const scans = `${sectionPath(frame.account.id, 'scans')}?configuration=${configuration.id}`;
  const actions = mayEdit && (
    <>
      <a class="button quiet" href={`${base}/edit`}>
        Change
      </a>
      <a class="button quiet" href={`${base}/delete`}>
        Delete
      </a>
    </>
  );
  const newLink = mayEdit && (
    <a class="button small" href={`${base}/links/new`}>
      Create link
    </a>
  );
  return (
    <AccountLayout frame={frame} title={configuration.name} section={SECTION} actions={actions || undefined}>
      <div class="looks">
        <Panel
          id="about"
          title="Settings"
          aside={<a href={scans}>{configuration.scanCount.toLocaleString('en')} scans</a>}
        >
          <About configuration={configuration} templates={templates} accountId={frame.account.id} />
        </Panel>
        <ScannerPreview {...configuration} />
      </div>
      <Panel id="links" title="Links" aside={newLink || undefined}>
        {links.length === 0 ? (
          <EmptyState title="No links yet" action={newLink || undefined}>
            A link opens the scanner app on a phone. Create one, then scan its QR code from this screen.
          </EmptyState>
        ) : (
          <LinkTable frame={frame} base={base} links={links} mayEdit={mayEdit} now={now} />
        )}
        <Pager older={next && `${base}?before=${next}`} newer={isFirst ? undefined : base} />
      </Panel>
    </AccountLayout>
  );
}

interface AboutProps {
  configuration: AppConfiguration;
  templates: ConfigurationDetails['templates'];
  accountId: string;
}

function About({ configuration, templates, accountId }: AboutProps) {
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
            <a href={sectionPath(accountId, 'templates', id)}>{name}</a>
          </>
        ))}
      </dd>
      <dt>Additional questions</dt>
      <dd>
        {additionalProperties.length === 0
          ? 'Nothing'
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

interface LinkTableProps {
  frame: Frame;
  base: string;
  links: AppConfigurationLink[];
  mayEdit: boolean;
  now: number;
}

function LinkTable({ frame, base, links, mayEdit, now }: LinkTableProps) {
  const { timezone } = frame.account;
  return (
    <ListTable
      columns={['Created on', 'State', 'Opens without PIN until', 'First scan', 'Can switch']}
      hasActions={mayEdit}
    >
      {links.map((link) => (
        <tr>
          <th scope="row">
            <Time at={link.createdAt} timezone={timezone} />
          </th>
          <td data-label="State">
            <LinkState link={link} now={now} />
          </td>
          <td data-label="Opens without PIN until">
            <Time at={link.validToAt} timezone={timezone} />
          </td>
          <td data-label="First scan">
            {link.usedAt === null ? 'Not used yet' : <Time at={link.usedAt} timezone={timezone} />}
          </td>
          <td data-label="Can switch">{link.canChangeConfig ? 'To all configurations' : 'No'}</td>
          {mayEdit && (
            <td class="row-actions">
              <a class="button small quiet" href={`${base}/links/${link.id}`}>
                Show QR code
              </a>
              <a class="button small quiet" href={`${base}/links/${link.id}/end`}>
                Delete
              </a>
            </td>
          )}
        </tr>
      ))}
    </ListTable>
  );
}

/** Whether a link opens, and whether it was used. */
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

/** Asks before a configuration goes. */
export function DeleteConfigurationPage({ frame, configuration }: { frame: Frame; configuration: AppConfiguration }) {
  const back = sectionPath(frame.account.id, SECTION, configuration.id);
  const { name, scanCount } = configuration;
  return (
    <AccountLayout frame={frame} title={`Delete ${name}?`} section={SECTION} trail={[{ title: name, href: back }]}>
      <Confirm action={`${back}/delete`} button="Delete configuration" back={back}>
        <p>
          Its links stop working at once, and its {scanCount.toLocaleString('en')} scans are deleted. Passes keep their
          state. You can’t undo this.
        </p>
      </Confirm>
    </AccountLayout>
  );
}
