import type { ConfigurationFacts } from '../../../domain/app-configurations/configuration-details.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { Badge, EmptyState, Pager } from '../parts.tsx';
import { sectionPath } from '../sections.ts';

const SECTION = 'app-configurations';

interface ConfigurationListProps {
  frame: Frame;
  configurations: ConfigurationFacts[];
  mayEdit: boolean;
  /** Identifier behind which the next page begins. */
  next?: string;
  isFirst: boolean;
}

/** Templates and place of the scanner. */
export function ConfigurationListPage({ frame, configurations, mayEdit, next, isFirst }: ConfigurationListProps) {
  const base = sectionPath(frame.account.id, SECTION);
  const create = mayEdit && (
    <a class="button" href={`${base}/new`}>
      Create configuration
    </a>
  );
  return (
    <AccountLayout frame={frame} title="App configurations" section={SECTION} actions={create || undefined}>
      <p class="lead">
        An app configuration defines which passes a scanner accepts, and the effect of a scan. Its link opens the
        scanner app on any phone, without an installation.
      </p>
      {configurations.length === 0 ? (
        <EmptyState title="No configurations yet" action={create || undefined}>
          {mayEdit
            ? 'Create a configuration, open its link on a phone, and scan your first pass.'
            : 'A member with the privilege “scan” can create one.'}
        </EmptyState>
      ) : (
        <section class="panel">
          <ListTable
            columns={[
              'Name',
              'Place',
              'Effect of a scan',
              'Templates',
              { title: 'Links', isNumber: true },
              { title: 'Scans', isNumber: true },
            ]}
          >
            {configurations.map((configuration) => (
              <ConfigurationRow accountId={frame.account.id} configuration={configuration} />
            ))}
          </ListTable>
        </section>
      )}
      <Pager older={next && `${base}?after=${next}`} newer={isFirst ? undefined : base} />
    </AccountLayout>
  );
}

function ConfigurationRow({ accountId, configuration }: { accountId: string; configuration: ConfigurationFacts }) {
  const { id, name, place, scanMode, linkCount, scanCount } = configuration;
  return (
    <tr>
      <th scope="row">
        <a href={sectionPath(accountId, SECTION, id)}>{name}</a>
      </th>
      <td data-label="Place">{place || '–'}</td>
      <td data-label="Effect of a scan">
        <ScanModeBadge scanMode={scanMode} />
      </td>
      <td data-label="Templates">{templatesOf(configuration)}</td>
      <td class="number" data-label="Links">
        {linkCount.toLocaleString('en')}
      </td>
      <td class="number" data-label="Scans">
        <a href={`${sectionPath(accountId, 'scans')}?configuration=${id}`} aria-label={`${scanCount} scans of ${name}`}>
          {scanCount.toLocaleString('en')}
        </a>
      </td>
    </tr>
  );
}

/** Effect of a scan, in a word or two. */
export function ScanModeBadge({ scanMode }: { scanMode: 0 | 1 }) {
  return scanMode === 0 ? <Badge tone="careful">Voids</Badge> : <Badge tone="calm">Records attendance</Badge>;
}

function templatesOf({ templateCount, templateName }: ConfigurationFacts): string {
  if (templateCount === 0) return 'All templates';
  return templateCount === 1 ? (templateName ?? 'A deleted template') : `${templateCount} templates`;
}
