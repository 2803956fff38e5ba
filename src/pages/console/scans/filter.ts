import type { ScanFilter, ScanPlace } from '../../../domain/app-scans/search-scans.ts';
import type { AccountContext } from '../../../domain/context.ts';
import { fieldIssue, type Issue } from '../../../domain/errors.ts';
import { UUID_HINT } from '../../../domain/fields.ts';
import { parseDateTime } from '../../../platform/dates.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import { reasonNamed } from './scan-words.ts';

/** The filter as in the page's address. Empty values don't filter. */
export interface TypedFilter {
  configuration: string;
  status: string;
  reason: string;
  /** `Y-m-dTH:i` in the account's time zone. */
  since: string;
  until: string;
}

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
export function placeText({ createdAt, id }: ScanPlace): string {
  return `${createdAt}.${id}`;
}

/** Parses a position from `placeText`; undefined for anything else. */
export function readPlace(text: string | undefined): ScanPlace | undefined {
  const [, millis, id] = /^(\d{1,15})\.(.{36})$/.exec(text ?? '') ?? [];
  return millis && id && UUID_PATTERN.test(id) ? { createdAt: Number(millis), id } : undefined;
}
