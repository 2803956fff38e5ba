/** Statements that may touch rows of a tenant without its account, or a secret of it, in their condition. */
export interface Exception {
  /** Fits the text of the statements, which has no quotes around names, single spaces, and one parameter for a list of them. */
  statement: RegExp;
  /** Tables any of whose rows the statements may touch. */
  open?: string[];
  /** Columns, by table, by which the statements may find their rows, because no caller gave the value. */
  trusts?: Record<string, string[]>;
  reason: string;
}

/** What the cron does for everybody. */
const SWEEPS: Exception[] = [
  {
    statement: /^delete from (audit_entries|idempotency_keys|sessions|sign_in_tokens) where \S+ <= \?$/,
    open: ['audit_entries', 'idempotency_keys', 'sessions', 'sign_in_tokens'],
    reason: 'What is old goes, whoever has it.',
  },
  {
    statement:
      /^delete from taken_callbacks where rowid in \(select rowid from taken_callbacks where \S+ < \? limit \?\)$/,
    open: ['taken_callbacks'],
    reason: 'Callbacks that Google repeats no more go, whoever has the pass.',
  },
  {
    statement:
      /^(delete from|update) dead_letters .*\bdead_letters\.(failed_at < \? order by|due_at <= \? order by|due_at is not null\)$)/,
    open: ['dead_letters'],
    reason: 'Failed jobs that somebody has asked for are sent and removed, and old ones go, whoever has them.',
  },
  {
    statement: /^insert into dead_letters /,
    open: [
      'app_configurations',
      'events',
      'messages',
      'notifications',
      'pass_tombstones',
      'passes',
      'processes',
    ].concat(['push_fan_outs', 'template_deletions', 'templates', 'webhook_subscriptions']),
    reason: 'A job that has failed gets the account of what it names.',
  },
  {
    statement:
      /^delete from events where events\.key in \(select key from \(select key, created_at, pending from events order/,
    open: ['events'],
    reason: 'Events that are old go, whoever has them.',
  },
  {
    statement:
      /^(select (max\()?id\)? from events where \(events\.id > \? and|insert into hourly_counts .* from events where events\.id > \? and)/,
    open: ['events', 'hourly_counts'],
    reason: 'Events are counted for everybody, each for its own account.',
  },
  {
    statement: /\bevents where events\.pending = \?/,
    open: ['events', 'webhook_payload_counts', 'webhook_subscriptions'],
    reason: 'Events are handed to subscriptions for everybody, each to those of its own account.',
  },
  {
    statement: /^(delete from|update) messages .*\bmessages\.id in \(select id from messages where/,
    open: ['messages'],
    reason: 'Messages that are due are handed over, and old ones go, whoever has them.',
  },
  {
    statement: /^(delete from|update) (pending_pushes|push_pages) .*\browid in \(select rowid from/,
    open: ['pending_pushes', 'push_pages'],
    reason: 'Pushes that are due are handed over, and old ones given up, whoever has them.',
  },
  {
    statement:
      /^(update push_fan_outs set due_at = \?, claim = \? where push_fan_outs\.id in \(select|delete from push_fan_outs where \(push_fan_outs\.created_at < \?)/,
    open: ['push_fan_outs', 'push_pages'],
    reason: 'Fan-outs that are due are handed over, and those without pages go, whoever has them.',
  },
  {
    statement:
      /^update (app_configurations|notifications|pass_tombstones|template_deletions|webhook_subscriptions) .* in \(select \S+ from \S+ where \S+ <=? \? (order|limit)/,
    open: ['app_configurations', 'notifications', 'pass_tombstones', 'template_deletions', 'webhook_subscriptions'],
    reason: 'What is due is taken up, whoever has it.',
  },
  {
    statement:
      /^select \S+ from (processes|pass_tombstones|webhook_subscriptions) where \(?\S+ (is null and \S+ <= \?|< \?|is not null)\)?( order by \S+ asc)? limit \?$/,
    open: ['processes', 'pass_tombstones', 'webhook_subscriptions'],
    reason: 'What is due is found, whoever has it.',
  },
  {
    statement:
      /^(delete from webhook_deliveries where rowid in \(select rowid from \(|with recursive waiting\(id\) as)/,
    open: ['webhook_deliveries'],
    reason: 'Deliveries that are due are found, and old ones go, whoever has them.',
  },
  {
    statement:
      /\bwebhook_payloads where sequence in \(select sequence from (webhook_payloads where acknowledged_at <=|\(select sequence, triggered_at)/,
    open: ['webhook_payloads', 'webhook_payload_counts'],
    reason: 'Payloads that are acknowledged or old go, whoever has them.',
  },
  {
    statement:
      /^(select .* from passes where passes\.key > \? order|select passes\.id as id, passes\.key as key from passes where passes\.id <= \? order|update passes set appearance = json_set\(.* where key in \(select key from passes where appearance)/,
    open: ['passes'],
    reason: 'Passes are indexed anew, and asked for their images, whoever has them; each goes on by its own account.',
  },
];

/** What the operator of the service does, by commands that no tenant can give. */
const COMMANDS: Exception[] = [
  { statement: /^select .* from accounts order by/, open: ['accounts'], reason: 'The operator lists the accounts.' },
  {
    statement: /^select .* from (api_keys|certificates|google_issuers) where \S+\.id = \?$/,
    trusts: { api_keys: ['id'], certificates: ['id'], google_issuers: ['id'] },
    reason: 'The operator, or the console after it has found the row in the account, names it.',
  },
  {
    statement: /^(select|update) .*\bdead_letters\b/,
    open: ['dead_letters', 'messages', 'passes', 'processes', 'templates', 'webhook_subscriptions'],
    reason: 'The operator sees failed jobs of all accounts; the console asks for those of its own.',
  },
];

/** What jobs do with the row that they name. Queues hold what the service has put there and nothing else. */
const JOBS: Exception[] = [
  {
    statement: /\b(passes\.id|pass_tombstones\.pass_id) = \?/,
    trusts: { passes: ['id'], pass_tombstones: ['pass_id'] },
    reason:
      'A job names a pass, or an address does that anyone with the identifier may open; every secret, PIN or token is compared before more than that is told, and the account is that of the row.',
  },
];

/** The list that `judge-statements.ts` reads. Whoever adds to it says in one sentence why no tenant meets another. */
export const EXCEPTIONS: Exception[] = [...SWEEPS, ...COMMANDS, ...JOBS];
