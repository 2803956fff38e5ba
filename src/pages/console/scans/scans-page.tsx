import type { AppConfiguration } from '../../../domain/app-configurations/table.ts';
import type { FoundScans } from '../../../domain/app-scans/search-scans.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { AccountLayout } from '../console-layout.tsx';
import { SelectField } from '../fields.tsx';
import { EmptyState, formatNumber, Pager, Problems } from '../parts.tsx';
import { PeriodFilter } from '../period-filter.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';
import { placeText, type TypedFilter } from './filter.ts';
import { ScanTable } from './scan-table.tsx';
import { REASON_OPTIONS, STATUS_OPTIONS } from './scan-words.ts';

export interface ScansPageProps {
  typed: TypedFilter;
  configurations: Pick<AppConfiguration, 'id' | 'name' | 'place'>[];
  /** Undefined if the filter is invalid. */
  found?: FoundScans;
  /** Number of scans of the configuration, or of all scans, regardless of the other filters. */
  total: number;
  isFirst: boolean;
}

/** All scans, newest first. New ones appear while the page is open. */
export function ScansPage({ typed, configurations, found, total, isFirst }: ScansPageProps) {
  const base = hrefTo('scans');
  const asked = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''));
  const exported = (
    <a class="button quiet" href={`${base}/export.csv?${asked}`} download>
      Export CSV
    </a>
  );
  const next = found?.next && `${base}?${new URLSearchParams([...asked, ['before', placeText(found.next)]])}`;
  return (
    <AccountLayout
      title="Scans"
      section="scans"
      actions={found && total > 0 && viewerHas('personal_data') ? exported : undefined}
      scripts={isFirst && found ? [clientFile('console/live-scans.ts').path] : []}
    >
      <Problems title="Not applied:" />
      <FilterForm base={base} typed={typed} configurations={configurations} />
      {found && (
        <section class="panel" aria-labelledby="count" data-live={`${base}/total?${asked}`} data-total={total}>
          <header>
            <h2 id="count">
              {formatNumber(total)} {total === 1 ? 'scan' : 'scans'}{' '}
              {typed.configuration ? 'with this configuration' : 'in total'}
            </h2>
            <p class="live quiet" role="status" />
          </header>
          <div class="live-list">
            {found.scans.length > 0 && <ScanTable scans={found.scans} hasCodes />}
            {found.scans.length === 0 && <NoScans total={total} hasMore={found.next !== undefined} />}
          </div>
        </section>
      )}
      <Pager older={next} newer={isFirst ? undefined : `${base}?${asked}`} />
    </AccountLayout>
  );
}

function NoScans({ total, hasMore }: { total: number; hasMore: boolean }) {
  if (total === 0) {
    const configurations = <a href={hrefTo('app-configurations')}>App configurations</a>;
    return (
      <EmptyState title="No scans yet" action={configurations}>
        Open the link of an app configuration on a phone and scan the code of a pass.
      </EmptyState>
    );
  }
  if (hasMore) {
    return <EmptyState title="No match in the latest 1,000 scans">Older scans are on the next page.</EmptyState>;
  }
  return <EmptyState title="No scans match">Change or clear the filter.</EmptyState>;
}

interface FilterFormProps {
  base: string;
  typed: TypedFilter;
  configurations: ScansPageProps['configurations'];
}

function FilterForm({ base, typed, configurations }: FilterFormProps) {
  const isFiltered = Object.values(typed).some((value) => value !== '');
  const where = configurations.map(({ id, name, place }) => ({ value: id, title: place ? `${name}, ${place}` : name }));
  return (
    <form class="filter" method="get" action={base} aria-label="Filter">
      <SelectField
        name="configuration"
        label="Configuration"
        options={[{ value: '', title: 'All configurations' }, ...where]}
        value={typed.configuration}
      />
      <SelectField
        name="status"
        label="Outcome"
        options={[{ value: '', title: 'Any' }, ...STATUS_OPTIONS]}
        value={typed.status}
      />
      <SelectField
        name="reason"
        label="Reason"
        options={[{ value: '', title: 'Any' }, ...REASON_OPTIONS]}
        value={typed.reason}
      />
      <PeriodFilter typed={typed} base={base} isFiltered={isFiltered} />
    </form>
  );
}
