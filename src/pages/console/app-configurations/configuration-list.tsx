import type { ConfigurationFacts } from '../../../domain/app-configurations/configuration-details.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { Badge, EmptyState, formatNumber, LinkButton, Pager } from '../parts.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';

const SECTION = 'app-configurations';

interface ConfigurationListProps {
  configurations: ConfigurationFacts[];
  /** Identifier of the last row, for the next page. */
  next?: string;
  isFirst: boolean;
}

/** The list of scanner configurations with their templates and place. */
export function ConfigurationListPage({ configurations, next, isFirst }: ConfigurationListProps) {
  const mayEdit = viewerHas('scan');
  const base = hrefTo(SECTION);
  const create = mayEdit && <LinkButton href={`${base}/new`} title="Create configuration" />;
  return (
    <AccountLayout title="App configurations" section={SECTION} actions={configurations.length > 0 && create}>
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
          <Table
            rows={configurations}
            columns={[
              ['Name', ({ id, name }) => <a href={`${base}/${id}`}>{name}</a>],
              ['Place', ({ place }) => place || '–'],
              ['Effect of a scan', ({ scanMode }) => <ScanModeBadge scanMode={scanMode} />],
              ['Templates', templatesOf],
              ['Links', ({ linkCount }) => formatNumber(linkCount), 'number'],
              ['Scans', (configuration) => <ScansLink {...configuration} />, 'number'],
            ]}
          />
        </section>
      )}
      <Pager older={next && `${base}?after=${next}`} newer={isFirst ? undefined : base} />
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

/** The effect of a scan as a badge. */
export function ScanModeBadge({ scanMode }: { scanMode: 0 | 1 }) {
  return scanMode === 0 ? <Badge tone="careful">Voids</Badge> : <Badge tone="calm">Records attendance</Badge>;
}

function templatesOf({ templateCount, templateName }: ConfigurationFacts): string {
  if (templateCount === 0) return 'All templates';
  return templateCount === 1 ? (templateName ?? 'A deleted template') : `${templateCount} templates`;
}
