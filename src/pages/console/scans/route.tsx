import { Hono } from 'hono';
import { configurationNames } from '../../../domain/app-configurations/configuration-details.ts';
import type { AppConfiguration } from '../../../domain/app-configurations/table.ts';
import {
  eachScanPage,
  type FoundScans,
  type ScanDetails,
  type ScanFilter,
  type ScanPlace,
  scanTotal,
  scanTotalQuery,
  searchScans,
} from '../../../domain/app-scans/search-scans.ts';
import type { AccountContext } from '../../../domain/context.ts';
import { fieldIssue, type Issue, invalid } from '../../../domain/errors.ts';
import { UUID_HINT } from '../../../domain/fields.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { formatDateTime, parseDateTime } from '../../../platform/dates.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import type { AccountEnv } from '../console-env.ts';
import { AccountLayout } from '../console-layout.tsx';
import { type CsvColumn, csvReply } from '../export-csv.ts';
import { SelectField } from '../fields.tsx';
import { PeriodFilter } from '../filters.tsx';
import { EmptyState, formatNumber, Pager, Problems } from '../parts.tsx';
import { PAGE_ROWS, page } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { hrefTo, viewerHas } from '../viewer.ts';
import { REASON_OPTIONS, reasonNamed, reasonWords, ScanTable, STATUS_OPTIONS, statusWords } from './scan-table.tsx';

/** Routes for scans. */
export const scanRoutes = new Hono<AccountEnv>();

scanRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const { typed, filter, issues } = readFilter(acting, c.req.query());
  const before = readPlace(c.req.query('before'));
  const [configurations, [counted]] = await acting.db.batch([
    configurationNames(acting),
    scanTotalQuery(acting, filter.configurationId),
  ]);
  const isReadable = issues.length === 0;
  const found = isReadable ? await searchScans(acting, { ...filter, limit: PAGE_ROWS, before }) : undefined;
  const shown = { typed, configurations, found, total: counted?.total ?? 0, isFirst: before === undefined };
  return page(c, <ScansPage {...shown} />, isReadable ? 200 : 400, issues);
});

/** The number of scans, which the list's script polls. */
scanRoutes.get('/total', async (c) => {
  const { acting } = c.var;
  const total = await scanTotal(acting, readFilter(acting, c.req.query()).filter.configurationId);
  return c.json({ total }, 200, { 'Cache-Control': 'no-store' });
});

scanRoutes.get('/export.csv', requirePrivilege('personal_data'), (c) => {
  const { acting } = c.var;
  const { filter, issues } = readFilter(acting, c.req.query());
  if (issues.length > 0) throw invalid(issues);
  return csvReply(c, 'scans', columnsOf(acting), eachScanPage(acting, filter));
});

interface ScansPageProps {
  typed: TypedFilter;
  configurations: Pick<AppConfiguration, 'id' | 'name' | 'place'>[];
  /** Undefined if the filter is invalid. */
  found?: FoundScans;
  /** Number of scans of the configuration, or of all scans, regardless of the other filters. */
  total: number;
  isFirst: boolean;
}

/** All scans, newest first. New ones appear while the page is open. */
function ScansPage({ typed, configurations, found, total, isFirst }: ScansPageProps) {
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

/** Returns the columns of the export. The rows of a deleted template's passes are removed later. */
function columnsOf({ account }: AccountContext): CsvColumn<ScanDetails>[] {
  return [
    ['Scanned on', ({ scan }) => formatDateTime(scan.createdAt, account.timezone)],
    ['Scanned on (UTC)', ({ scan }) => formatDateTime(scan.createdAt, 'UTC')],
    ['Outcome', ({ scan }) => statusWords(scan.scanStatus).title],
    ['Status', ({ scan }) => scan.scanStatus],
    ['Reason', ({ scan }) => reasonWords(scan)],
    ['Configuration', ({ configurationName }) => configurationName],
    ['Place', ({ scan }) => scan.place],
    ['Pass', ({ scan }) => scan.passId],
    ['User-provided ID', ({ pass, templateName }) => (templateName === null ? null : pass?.userProvidedId)],
    ['Generated ID', ({ pass, templateName }) => (templateName === null ? null : pass?.generatedId)],
    ['Template', ({ templateName }) => templateName],
    ['Code', ({ scan }) => scan.scannedBarcodeValue],
    ['Device', ({ scan }) => scan.deviceName],
    ['Stored value', ({ scan }) => scan.storedValue],
    ['Answers', answersOf],
    ['Scan', ({ scan }) => scan.id],
  ];
}

function answersOf({ scan, questions }: ScanDetails): string {
  const names = new Map(questions.map(({ id, name }) => [id, name]));
  const answers = Object.entries(scan.additionalProperties).map(([id, value]) => `${names.get(id) ?? id}: ${value}`);
  return answers.join('; ');
}

/**
 * The filter as in the page's address. Empty values don't filter. Times are `Y-m-dTH:i` in the account's time zone.
 */
export type TypedFilter = Record<'configuration' | 'status' | 'reason' | 'since' | 'until', string>;

/** Reads the filter of the address, and its issues. */
export function readFilter(
  { account }: AccountContext,
  query: Record<string, string>,
): { typed: TypedFilter; filter: ScanFilter; issues: Issue[] } {
  const { configuration = '', status = '', reason = '', since = '', until = '' } = query;
  const issues: Issue[] = [];
  const moment = (name: string, text: string) => {
    const millis = text === '' ? undefined : parseDateTime(text, account.timezone);
    if (text !== '' && millis === undefined)
      issues.push(fieldIssue(name, 'must be a date and a time such as 2026-12-24T09:10'));
    return millis;
  };
  if (configuration !== '' && !UUID_PATTERN.test(configuration)) issues.push(fieldIssue('configuration', UUID_HINT));
  if (!/^(-?\d{1,10}|other)?$/.test(status)) issues.push(fieldIssue('status', 'must be a number or “other”'));
  if (reason !== '' && !reasonNamed(reason))
    issues.push(fieldIssue('reason', 'must be one of the reasons in the list'));
  const filter = {
    configurationId: configuration || undefined,
    status: status === '' ? undefined : status === 'other' ? status : Number(status),
    reason: reasonNamed(reason),
    since: moment('since', since),
    until: moment('until', until),
  } as const;
  return { typed: { configuration, status, reason, since, until }, filter, issues };
}

/** Formats a position in the list for an address. */
const placeText = ({ createdAt, id }: ScanPlace): string => `${createdAt}.${id}`;

/** Parses a position from `placeText`; undefined for anything else. */
function readPlace(text: string | undefined): ScanPlace | undefined {
  const [, millis, id] = /^(\d{1,15})\.(.{36})$/.exec(text ?? '') ?? [];
  return millis && id && UUID_PATTERN.test(id) ? { createdAt: Number(millis), id } : undefined;
}
