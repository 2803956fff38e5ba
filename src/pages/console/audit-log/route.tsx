import { Hono } from 'hono';
import { listApiKeys } from '../../../domain/api-keys/list-api-keys.ts';
import { titleOf } from '../../../domain/audit/actions.ts';
import {
  type ActionFilter,
  eachActionPage,
  type ListedAction,
  listActions,
} from '../../../domain/audit/list-actions.ts';
import type { AccountContext } from '../../../domain/context.ts';
import { fieldIssue, type Issue, invalid } from '../../../domain/errors.ts';
import { listMembers } from '../../../domain/users/change-member.ts';
import { csvStream } from '../../../platform/csv.ts';
import { formatDateTime, parseDateTime } from '../../../platform/dates.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { csvHeaders, page, pageOf, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { ACTOR_TYPES, AuditLogPage, changeText, type TypedFilter } from './audit-log-page.tsx';

const PAGE_ROWS = 50;

export const auditLogRoutes = new Hono<AccountEnv>();

auditLogRoutes.use('*', requirePrivilege('owner'));

auditLogRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const { typed, filter, issues } = readFilter(c);
  const beforeId = uuidIn(c, 'before');
  const isReadable = issues.length === 0;
  const [found, members, apiKeys] = await Promise.all([
    isReadable ? listActions(acting, filter, { limit: PAGE_ROWS + 1, beforeId }) : [],
    listMembers(acting),
    listApiKeys(acting),
  ]);
  const actors = [
    ...members.map(({ userId, email }) => ({ id: userId, name: email })),
    ...apiKeys.map(({ id, name }) => ({ id, name: `API key ${name}` })),
  ];
  const [entries, next] = pageOf(found, PAGE_ROWS, ({ id }) => id);
  const shown = { typed, actors, entries, next, isFirst: beforeId === undefined };
  return page(c, <AuditLogPage {...shown} />, isReadable ? 200 : 400, issues);
});

auditLogRoutes.get('/export.csv', (c) => {
  const { acting } = c.var;
  const { filter, issues } = readFilter(c);
  if (issues.length > 0) throw invalid(issues);
  const today = formatDateTime(Date.now(), acting.account.timezone).slice(0, 10);
  return c.body(exportActions(acting, filter), 200, csvHeaders(`audit-log-${today}.csv`));
});

/** Reads the filter of the address, and what is wrong with it. */
function readFilter(c: AccountPageContext): { typed: TypedFilter; filter: ActionFilter; issues: Issue[] } {
  const { action = '', actor = '', since = '', until = '' } = c.req.query() as Record<string, string>;
  const issues: Issue[] = [];
  const moment = (name: string, text: string) => {
    const millis = text === '' ? undefined : parseDateTime(text, c.var.acting.account.timezone);
    if (text !== '' && millis === undefined)
      issues.push(fieldIssue(name, 'must be a date and time such as 2026-12-24T09:10'));
    return millis;
  };
  const untilAt = moment('until', until);
  const filter = {
    action: action || undefined,
    actorId: actor || undefined,
    sinceAt: moment('since', since),
    // The label is "Before", so the end is exclusive.
    untilAt: untilAt === undefined ? undefined : untilAt - 1,
  };
  return { typed: { action, actor, since, until }, filter, issues };
}

const HEADINGS = [
  'When',
  'When (UTC)',
  'Action',
  'Action (API)',
  'Actor',
  'Actor type',
  'Actor ID',
  'Target',
  'Target type',
  'Target ID',
  'Changes',
  'Address',
  'Request',
  'Entry',
];

/** Returns all matching entries as a CSV file, streamed while they are read. */
function exportActions(ctx: AccountContext, filter: ActionFilter): ReadableStream<Uint8Array> {
  return csvStream(HEADINGS, eachActionPage(ctx, filter), (one) => cellsOf(ctx, one));
}

function cellsOf({ account }: AccountContext, { actor, target, ...entry }: ListedAction) {
  return [
    formatDateTime(entry.createdAt, account.timezone),
    formatDateTime(entry.createdAt, 'UTC'),
    titleOf(entry.action),
    entry.action,
    actor.name,
    ACTOR_TYPES[actor.type],
    actor.id,
    target.name,
    target.type,
    target.id,
    entry.changes.map(changeText).join('; '),
    entry.ip,
    entry.requestId,
    entry.id,
  ];
}
