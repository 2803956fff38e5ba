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
import { formatDateTime, parseDateTime } from '../../../platform/dates.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { type CsvColumn, csvReply } from '../export-csv.ts';
import { listed, PAGE_ROWS, page, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { ACTOR_TYPES, AuditLogPage, changeText, type TypedFilter } from './audit-log-page.tsx';

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
  const shown = { typed, actors, ...listed(found, beforeId, ({ id }) => id) };
  return page(c, <AuditLogPage {...shown} />, isReadable ? 200 : 400, issues);
});

auditLogRoutes.get('/export.csv', (c) => {
  const { acting } = c.var;
  const { filter, issues } = readFilter(c);
  if (issues.length > 0) throw invalid(issues);
  return csvReply(c, 'audit-log', columnsOf(acting), eachActionPage(acting, filter));
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

/** Returns the columns of the export. */
function columnsOf({ account }: AccountContext): CsvColumn<ListedAction>[] {
  return [
    ['When', ({ createdAt }) => formatDateTime(createdAt, account.timezone)],
    ['When (UTC)', ({ createdAt }) => formatDateTime(createdAt, 'UTC')],
    ['Action', ({ action }) => titleOf(action)],
    ['Action (API)', ({ action }) => action],
    ['Actor', ({ actor }) => actor.name],
    ['Actor type', ({ actor }) => ACTOR_TYPES[actor.type]],
    ['Actor ID', ({ actor }) => actor.id],
    ['Target', ({ target }) => target.name],
    ['Target type', ({ target }) => target.type],
    ['Target ID', ({ target }) => target.id],
    ['Changes', ({ changes }) => changes.map(changeText).join('; ')],
    ['Address', ({ ip }) => ip],
    ['Request', ({ requestId }) => requestId],
    ['Entry', ({ id }) => id],
  ];
}
