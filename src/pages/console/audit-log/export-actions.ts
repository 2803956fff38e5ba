import { titleOf } from '../../../domain/audit/actions.ts';
import { type ActionFilter, eachActionPage, type ListedAction } from '../../../domain/audit/list-actions.ts';
import type { AccountContext } from '../../../domain/context.ts';
import { csvStream } from '../../../platform/csv.ts';
import { formatDateTime } from '../../../platform/dates.ts';
import { ACTOR_TYPES, changeText } from './action-words.ts';

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
export function exportActions(ctx: AccountContext, filter: ActionFilter): ReadableStream<Uint8Array> {
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
