import { tenantTables } from './tenant-tables.ts';

/** Statements that may access tenant rows without a condition on the account or a secret. */
export interface Exception {
  /** Matches the statements' text, normalized to no quotes around names, single spaces, and one parameter per list. */
  statement: RegExp;
  /** Tables of which the statements may access any row. */
  open?: string[];
  /** Columns, by table, that may select the statements' rows, because the value doesn't come from a caller. */
  trusts?: Record<string, string[]>;
  reason: string;
}

/** The cron's work for all accounts. No request starts it, passes it a value or sees its results. */
const SWEEPS: Exception[] = [
  {
    statement:
      /^update certificates set (warn_at|refresh_at) = \? where rowid in \(select rowid from certificates where certificates\.\1 <= \? order by/,
    open: ['certificates'],
    reason: 'The cron claims certificates that end soon or were renewed, and mails the owners that each of them has.',
  },
  {
    statement:
      /^(select [^(]*|delete|update audit_entries set is_away = \?)( from audit_entries)? where \(?audit_entries\.is_away = \?/,
    open: ['audit_entries'],
    reason: 'Entries of accounts in other databases go to the log of the account that each of them names.',
  },
  {
    statement:
      /^insert into (certificates|google_issuers) \(.*\) values \(\?\) on conflict \(\1\.id\) do update set id = \?/,
    open: ['certificates', 'google_issuers'],
    reason: 'Each database gets the rows of the service, which have no account, as the directory has them.',
  },
  {
    statement:
      /^delete from (audit_entries|certificate_requests|dead_letters|idempotency_keys|messages|passkey_challenges|sessions|sign_in_tokens|taken_callbacks) where rowid in \(select rowid from \1 where \(?\S+ <=? \?( and \S+ is null\))? limit \?\)$/,
    open: ['audit_entries', 'certificate_requests', 'dead_letters', 'idempotency_keys', 'messages'].concat([
      'passkey_challenges',
      'sessions',
      'sign_in_tokens',
      'taken_callbacks',
    ]),
    reason: 'The cron deletes old rows of all accounts, by their age alone, and returns none.',
  },
  {
    statement: /^select [^(]* from unique_property_changes where unique_property_changes\.due_at <= \? order by/,
    open: ['unique_property_changes'],
    reason: 'The cron gives up values of all accounts that are due, each change for the account in its own row.',
  },
  {
    statement: /^(delete from|update) dead_letters .*\bdead_letters\.(due_at <= \? order by|due_at is not null\)$)/,
    open: ['dead_letters'],
    reason: 'The cron sends failed jobs that were asked for; each job goes on with its own account.',
  },
  {
    statement:
      /^(insert into dead_letters |select coalesce\(\(select app_configurations\.account_id from app_configurations where)/,
    open: [
      'app_configurations',
      'events',
      'messages',
      'notifications',
      'pass_tombstones',
      'passes',
      'processes',
    ].concat(['push_fan_outs', 'template_deletions', 'templates', 'webhook_subscriptions']),
    reason: 'A job of an earlier release gets the account of the row that it names; nothing else of that row is read.',
  },
  {
    statement:
      /^delete from events where events\.key in \(select key from \(select key, created_at from events where pending is null order/,
    open: ['events'],
    reason: 'The cron deletes old events of all accounts, by their age alone, and returns none.',
  },
  {
    statement:
      /^(with recursive owners\(owner\) as|insert into hourly_counts \(.*\) with recursive owners\(owner\) as|insert into counted_events .*\(with recursive owners\(owner\) as)/,
    open: ['account_events', 'hourly_counts'],
    reason: 'The cron counts the events of all accounts, each for the account in its own row, and finds old ones.',
  },
  {
    statement:
      /^(insert into account_events \(.*\) select .* from events where key in|delete from events where events\.key in \(select key from \(select key from events where pending|select last_event_id, not )/,
    open: ['account_events', 'events'],
    reason: 'The cron moves events of the release before, each with its own account.',
  },
  {
    statement: /^insert into account_events .*\baccount_events as waiting where waiting\.pending is not null/,
    open: ['account_events'],
    reason: 'An event that awaits its deliveries gets the next number of all; nothing else of another one is read.',
  },
  {
    statement: /\baccount_events where (account_events\.)?pending is not null/,
    open: ['account_events', 'webhook_payload_counts', 'webhook_subscriptions'],
    reason: 'The cron and jobs hand events to subscriptions, which are joined by the account of the event.',
  },
  {
    statement: /^update accounts set retention_due_at = \? where accounts\.id in \(select id from accounts where/,
    open: ['accounts'],
    reason: 'The cron takes accounts whose retention is due; what it deletes is of each account alone.',
  },
  {
    statement: /^update messages .*\bmessages\.id in \(select id from messages where/,
    open: ['messages'],
    reason: 'The cron hands messages that are due to jobs, each with its own account.',
  },
  {
    statement:
      /^(delete from|update|select \S+ from|insert into requested_pushes .* from) (requested_pushes|pending_pushes|push_pages) .*(\browid|\(pass_id, wallet\)) in \(select (rowid|pass_id, wallet) from/,
    open: ['requested_pushes', 'pending_pushes', 'push_pages'],
    reason: 'The cron hands pushes that are due to jobs by their identifiers, and deletes old ones by their age.',
  },
  {
    statement:
      /^insert into pass_facts .* from requested_pushes where \(pass_id, wallet\) in \(select pass_id, wallet from/,
    open: ['requested_pushes', 'passes', 'pass_facts'],
    reason: 'The cron notes in the timeline of each pass, by its account in the row, that its push was given up.',
  },
  {
    statement:
      /^delete from pass_facts where pass_facts\.key in \(select key from \(select key, began_at from pass_facts/,
    open: ['pass_facts'],
    reason: 'The cron deletes facts of all accounts by their age alone, and returns none.',
  },
  {
    statement:
      /^(update push_fan_outs set due_at = .*, claim = \? where push_fan_outs\.id in \(select|delete from push_fan_outs where \(push_fan_outs\.created_at < \?)/,
    open: ['push_fan_outs', 'push_pages'],
    reason: 'The cron hands fan-outs that are due to jobs by their identifiers, and deletes those without pages.',
  },
  {
    statement:
      /^update (app_configurations|notifications|pass_tombstones|template_deletions|webhook_subscriptions) .* in \(select \S+ from \S+ where \S+ <=? \? (order|limit)/,
    open: ['app_configurations', 'notifications', 'pass_tombstones', 'template_deletions', 'webhook_subscriptions'],
    reason: 'The cron takes up what is due; each row goes on with its own account.',
  },
  {
    statement:
      /^select (account_id, )?\S+ from (processes|pass_tombstones|webhook_subscriptions) where \(?\S+ (is null and \S+ <= \?|< \?|is not null)\)?( order by \S+ asc)? limit \?$/,
    open: ['processes', 'pass_tombstones', 'webhook_subscriptions'],
    reason: 'The cron finds identifiers of what is due, and hands them to jobs.',
  },
  {
    statement:
      /^(with recursive (waiting|told)\(id\) as|delete from event_deliveries where \(subscription_id, event_id\) in \(select subscription_id, event_id from event_deliveries where event_deliveries\.subscription_id = \? and event_id < )/,
    open: ['accounts', 'event_deliveries', 'webhook_subscriptions'],
    reason: 'The cron finds subscriptions with deliveries that are due, for jobs, and deletes old ones by their age.',
  },
  {
    statement:
      /^(insert into event_deliveries .* from|delete from) webhook_deliveries where rowid in \(select rowid from/,
    open: ['event_deliveries', 'webhook_deliveries', 'webhook_subscriptions', 'accounts'],
    reason: 'The cron moves deliveries of an earlier release into their new table; each keeps its subscription.',
  },
  {
    statement:
      /\bwebhook_payloads where sequence in \(select sequence from (webhook_payloads where acknowledged_at <=|\(select sequence, triggered_at)/,
    open: ['webhook_payloads', 'webhook_payload_counts'],
    reason: 'The cron deletes payloads that are acknowledged or old, and counts them out of their own subscriptions.',
  },
  {
    statement:
      /^(select .* from passes where passes\.key > \? order|select passes\.id as id, passes\.key as key from passes where passes\.id <= \? order|update passes set appearance = json_set\(.* where key in \(select key from passes where appearance)/,
    open: ['passes'],
    reason:
      'The operator indexes passes anew, and the cron takes up pending images; each pass goes on with its own account.',
  },
  {
    statement:
      /^delete from registrations where rowid in \(select rowid from registrations where registrations\.pass_id in \(\?\) limit \?\)$/,
    open: ['registrations'],
    reason: 'The cron deletes registrations of passes that were deleted long ago, and returns none.',
  },
  {
    statement: /^(select .* from|update) account_quotas .*\b(tell_at <= \? order by|period_ends_at < 0 limit)/,
    open: ['account_quotas', 'accounts'],
    reason:
      'The cron finds quotas whose owners are to be mailed or whose day begins; each goes on with its own account.',
  },
  {
    statement:
      /^delete from reply_subjects where rowid in \(select rowid from \(select rowid, kept_at from reply_subjects/,
    open: ['reply_subjects'],
    reason: 'The cron deletes old rows of all accounts, by their age alone, and returns none.',
  },
  {
    statement:
      /^(select first\.\*, coalesce\(accounts\.timezone, 'utc'\) as timezone from \(select account_id, metric, hour_at from hourly_counts order|insert into daily_counts select hourly\.account_id, .* from json_each\(\?\) as fold|delete from hourly_counts where rowid in \(select hourly\.rowid from json_each|delete from daily_counts where rowid in \(select rowid from \(select rowid, day_at from daily_counts order)/i,
    open: ['accounts', 'daily_counts', 'hourly_counts'],
    reason: 'The cron makes daily counts of hourly ones, each for the account and in the time zone of its own row.',
  },
  {
    statement:
      /^(delete from notifications where rowid in \(select rowid from notifications where \(\(notifications\.executed_at <= |delete from template_versions where rowid in \(select template_versions\.rowid from notifications cross join)/,
    open: ['notifications', 'template_versions'],
    reason: 'The cron deletes old notifications and versions of all accounts, by their age, and returns none.',
  },
  {
    statement:
      /^(select max\(rowid\) from users$|(select id from|delete from) users where .*users\.operator_since is null and not exists)/,
    open: ['memberships', 'sessions', 'sign_in_tokens', 'users'],
    reason: 'The cron deletes people who are a member of no account, and returns none.',
  },
  {
    statement:
      /^delete from segments where rowid in \(select rowid from segments where segments\.expires_at <= \? limit/,
    open: ['segments'],
    reason: 'The cron deletes old rows of all accounts, by their age alone, and returns none.',
  },
  {
    statement:
      /^(select max\(rowid\) from bundle_links$|(delete from|update) bundle_links .*\(?rowid > \? and rowid <= \?)/,
    open: ['bundle_links', 'passes'],
    reason: 'The cron deletes links of bundles without passes; each looks at passes of its own account.',
  },
  {
    statement: /^(select id|delete) from processes where \(?(processes\.id in \(\?\) and )?processes\.finished_at < \?/,
    open: ['processes'],
    reason: 'The cron deletes processes that ended long ago, by their age alone, and returns none.',
  },
  {
    statement: /^(select|update) .*\b(account_deletions|pass_erasures)\.due_at <= \? order by/,
    open: ['account_deletions', 'pass_erasures'],
    reason: 'The cron takes up deletions and erasures that are due; each row goes on with its own account.',
  },
];

/** Measurements of the whole service, by the cron and operators. No tenant's request starts them or sees the result. */
const GAUGES: Exception[] = [
  {
    statement: /^select count\(\*\) as looked\b/,
    open: ['account_events', 'accounts', 'messages', 'passes', 'requested_pushes', 'processes'].concat([
      ...['push_fan_outs', 'push_pages', 'event_deliveries', 'webhook_subscriptions'],
    ]),
    reason: 'What waits is counted over all accounts; operators see the number and the age of the oldest.',
  },
  {
    statement: /^select .* from pass_documents inner join passes .* where pass_documents\.key > \? order/,
    open: ['pass_documents', 'passes'],
    reason: 'The cron removes documents that earlier releases kept of passes; each pass goes on with its own account.',
  },
  {
    statement: /^select coalesce\(\(select max\(key\) from passes\), 0\) as passes,/,
    open: ['passes'],
    reason: 'Operators see how many passes and events were ever stored.',
  },
  {
    statement:
      /^select id as subscriptionId, .* from webhook_subscriptions where failing_since_at is not null and status = 'active' order by/,
    open: ['accounts', 'webhook_subscriptions'],
    reason: 'Operators see endpoints of all accounts that fail, by their origin.',
  },
  {
    statement:
      /^select one\.rowid as key, id, account_id as accountId, .* from certificates as one where valid_to >= \? and/,
    open: ['accounts', 'certificates'],
    reason: 'Operators see which certificates of all accounts end next, and nothing of their keys.',
  },
  {
    statement: /^select count\(\*\) filter \(where valid_to < \?\) as soon, .* from certificates as one where/,
    open: ['certificates'],
    reason: 'Operators see how many certificates of all accounts end soon.',
  },
  {
    statement:
      /^insert into operator_mails .* from users where \(users\.operator_since is not null and changes\(\) > 0\)$/,
    open: ['users'],
    reason: 'Each operator of the service, and nobody else, gets the same mail.',
  },
];

/** Moves the link tokens of all accounts out of an earlier release's rows (docs/adr/0001-link-tokens-at-rest.md). */
const MOVES: Exception[] = [
  {
    statement:
      /^select .* from bundle_links where \(bundle_links\.account_id, bundle_links\.bundle_id\) > \(\?\) order by/,
    open: ['bundle_links'],
    reason: 'The cron walks through all bundles, and writes back each for itself. No request starts it.',
  },
  {
    statement:
      /^(select max\(key\) as last, count\(\*\) as rows from \(select key from events where key > \?|update events set body = iif\(events\.pass_id is not null)/,
    open: ['events'],
    reason: 'The cron walks through all events, and shortens each link in its own row. No request starts it.',
  },
  {
    statement:
      /^update (events|messages) set .* from \(select value ->> 0 as pass_id, value ->> 1 as token from json_each/,
    trusts: { events: ['pass_id'], messages: ['pass_id'] },
    reason: 'The cron takes the tokens of a pass out of texts about that pass, which its row names.',
  },
];

/** Operators' commands, which no tenant can run, and the service's internal work. */
const COMMANDS: Exception[] = [
  {
    statement: /^select id from accounts where accounts\.name = \?$/,
    trusts: { accounts: ['name'] },
    reason: 'A deployment looks for the account of its own smoke test, which an earlier run may have left.',
  },
  {
    statement:
      /^(select id from accounts limit \?$|insert into accounts .* where not exists \(select 1 from accounts\) and not exists \(select 1 from service_settings|insert into users .* select \? where exists \(select 1 from accounts where accounts\.id = \?\) on conflict \(users\.email\) do update set operator_since)/,
    open: ['accounts', 'users'],
    reason: 'Whoever knows the SETUP_TOKEN sets the service up while it has no account, and becomes its operator.',
  },
  {
    statement:
      /^(select id|update accounts set is_suspended .*|delete|insert into account_deletions .*) from accounts where accounts\.parent_account_id is not null and accounts\.lives_in is null and exists \(select 1 from json_each\(accounts\.ancestor_ids\)/,
    open: ['accounts', 'account_deletions'],
    reason: 'The operator suspends or deletes an account: those below it may live in other databases.',
  },
  {
    statement:
      /^select id from accounts where accounts\.is_suspended = \? and accounts\.suspended_at is not null and accounts\.lives_in is null$/,
    open: ['accounts'],
    reason: 'The operator suspends or resumes an account: those above it may live in other databases.',
  },
  {
    statement:
      /^select (created_at from accounts order by rowid limit \?$|\(select count\(\*\) from accounts where lives_in is null\) as accounts, \(select coalesce\(sum\(pass_count\), 0\) from templates where)/,
    open: ['accounts', 'templates'],
    reason: 'The operator lists the databases, with the numbers of what they hold.',
  },
  {
    statement:
      /^insert into account_quotas .*\baccount_deletions, json_each\(account_deletions\.ancestor_ids\) as above/,
    open: ['account_deletions', 'passes'],
    reason: 'The operator sets a quota: passes of deleted accounts count for the accounts that stood above them.',
  },
  {
    statement:
      /^delete from (event|webhook)_deliveries where .* and (event|webhook)_deliveries\.event_id in \(select account_events\.id/,
    open: ['event_deliveries', 'webhook_deliveries'],
    reason: 'The deletion of an account names its events, in both tables that have any.',
  },
  {
    statement: /^select .* from certificates where certificates\.pass_type_id = \? order by/,
    trusts: { certificates: ['pass_type_id'] },
    reason: 'Only the command of the operator lists the certificates of a pass type.',
  },
  {
    statement: /^select .* from accounts where accounts\.lives_in is null order by/,
    open: ['accounts'],
    reason: 'Only the command of the operator lists accounts.',
  },
  {
    statement: /^select (account_id from api_keys|.* from certificates) where \S+\.id = \?$/,
    trusts: { api_keys: ['id'], certificates: ['id'] },
    reason: 'The operator names a key or certificate of any account; the console asks with the account as well.',
  },
  {
    statement: /^insert into certificates .*\bfrom certificates where certificates\.pass_type_id = \?/,
    trusts: { certificates: ['pass_type_id'] },
    reason:
      'A pass type belongs to one account. Another account that imports a certificate of it is refused, and not told whose it is.',
  },
  {
    statement:
      /^(select \S+ as row_id, .* as sealed from|select iif\(.* like 'v2\.%'|update \S+ set (\w+_sealed|secrets|push) = .* where (\S+ = \? and \S+|coalesce\(.*\)) = \? returning id$|update passes set bundle_page_token = substr\(.* returning id$)/,
    open: [
      'app_configuration_links',
      'bundle_links',
      'certificate_requests',
      'certificates',
      'google_issuers',
      'passes',
      'signing_keys',
    ].concat(['webhook_subscriptions']),
    reason: 'The command of the operator encrypts each secret anew, for its own row, and shows numbers alone.',
  },
  {
    statement: /^update accounts set is_suspended = exists/,
    open: ['accounts'],
    reason:
      'The command of the operator suspends an account with those below it; each row looks at the accounts above it.',
  },
  {
    statement: /^select stand_in_url from google_issuers where/,
    trusts: { google_issuers: ['issuer_id'] },
    reason: 'In a local service only: its operator sets these addresses, and a deployment refuses them.',
  },
  {
    statement: /^select .* from passkeys where passkeys\.id = \?$/,
    trusts: { passkeys: ['id'] },
    reason: 'Somebody who signs in is unknown until then. Nothing is told before the signature fits the public key.',
  },
  {
    statement: /^update api_keys set last_used_at = \? where \(api_keys\.id = \?/,
    trusts: { api_keys: ['id'] },
    reason: 'The key is the one whose secret was compared in the same request, and only its time of use is written.',
  },
  {
    statement:
      /^select id, account_id, unique_properties from templates where \(templates\.id >=? \? and templates\.unique/,
    open: ['templates'],
    reason: 'The operator restores a backup. The values of each template are claimed for the account in its row.',
  },
  {
    statement: /^(select id from|update|delete from) dead_letters .*\bwhere \(?dead_letters\.id = \?/,
    trusts: { dead_letters: ['id'] },
    reason: 'The operator names a failed job of any account; the console asks with the account as well.',
  },
  {
    statement: /^insert into audit_entries .* from dead_letters where \(?dead_letters\.id = \?/,
    trusts: { dead_letters: ['id'] },
    reason: 'The operator names a failed job of any account; the entry goes into the log of the account in its row.',
  },
  {
    statement: /^select .* from dead_letters (where \(dead_letters\.failed_at, dead_letters\.id\) < \(\?\) )?order by/,
    open: ['dead_letters'],
    reason: 'The operator lists failed jobs of all accounts; the console asks for those of its own.',
  },
];

/** Tables whose rows have no account: the objects they name do, and were found through it. */
const NAMED: Exception[] = [
  {
    statement: /\bapplied_items\b/,
    trusts: { applied_items: ['process_id'] },
    reason: 'The object of a process names itself; no request names this table, and only numbers of items are in it.',
  },
  {
    statement: /\bcustom_numbers\b/,
    trusts: { custom_numbers: ['template_id'] },
    reason: 'The template was found in the account before, and the batch has a condition on it with the account.',
  },
  {
    statement: /\bunique_property_values\b/,
    trusts: { unique_property_values: ['pass_id', 'template_id'] },
    reason:
      'The pass or template was found in the account before, and the batch has a condition on it with the account.',
  },
  {
    statement:
      /^(select definition from template_versions where|select .* as wanted inner join template_versions on) \(?template_versions\.template_id = /,
    trusts: { template_versions: ['template_id'] },
    reason: 'A template or pass that was found in its account names the version; a caller never does.',
  },
  {
    statement:
      /^delete from template_versions where rowid in \(select rowid from template_versions where template_versions\.template_id = \? limit \?\)$/,
    open: ['template_versions'],
    reason: 'The job has found the deletion of the template in its account before.',
  },
  {
    statement: /^with operands as \(select \? as list\) select /,
    trusts: { passes: ['template_id'] },
    reason: 'The templates are those that the same search has read with the account, also when the caller names some.',
  },
  {
    statement:
      /^with operands as \(select \? as list\) select passes\.key as key from passes where .*passes\.id = \(select list/,
    trusts: { passes: ['id'] },
    reason:
      'A search for a link looks up the pass in it; the search goes on only if its template is one of the account.',
  },
  {
    statement: /^with recursive found\(template, at\) as /,
    trusts: { passes: ['template_id'] },
    reason: 'The templates are those that the same search has read with the account.',
  },
  {
    statement: /^(insert into push_(fan_outs|pages) .*|select 1) from passes indexed by \S+ where template_id = \?/,
    trusts: { passes: ['template_id'] },
    reason:
      'The template is the one in the row of the fan-out, or the one that the same statement finds in the account.',
  },
];

/** Jobs' work on the row that they name. Queues only contain messages from the service. */
const JOBS: Exception[] = [
  {
    statement:
      /^(delete from requested_pushes where \S+\.pass_id in \(select value|select .* from (pass_erasures|reply_subjects) where \S+\.pass_id in \(select value|update requested_pushes set text = \? where requested_pushes\.pass_id in \(select value)/,
    trusts: Object.fromEntries(
      ['pass_erasures', 'requested_pushes', 'reply_subjects'].map((table) => [table, ['pass_id']]),
    ),
    reason: 'A job names passes that their accounts have deleted, and goes on with the account of each row.',
  },
  {
    statement:
      /^(select distinct pass_id from (account_events where pass|events where pass_id) in|update app_scans set scanned_barcode_value = \?|update (account_)?events set body = json_replace\((account_)?events\.body, '\$\.userProvidedId'|update (event|webhook)_deliveries set attempts = \(select json_group_array\(json_remove)/,
    open: ['event_deliveries', 'webhook_deliveries', 'webhook_payloads', 'webhook_subscriptions'],
    trusts: { account_events: ['pass'], app_scans: ['pass_id'], events: ['pass_id'] },
    reason: 'A job erases values of passes that their accounts have deleted, in rows that name these passes.',
  },
  {
    statement: /\bpush_(fan_outs|pages)\b/,
    trusts: { push_fan_outs: ['id'], push_pages: ['fan_out_id'] },
    reason: 'A job names a fan-out, and goes on with the account of its row.',
  },
  {
    statement:
      /^update push_pages set last = \?, keys = \(select json_group_array\(passes\.key\) from passes where passes\.id in \(select value/,
    trusts: { passes: ['id'] },
    reason: 'A job writes back the passes of its own page, which it has read from the row.',
  },
  {
    statement:
      /^(update messages set status = \?, attempts = messages\.attempts \+ 1|select .* from messages where messages\.id = \?$)/,
    trusts: { messages: ['id'] },
    reason:
      'A job, or a provider that has proved itself by its signature, names a message; both go on with the account of its row.',
  },
  {
    statement: /\bnotifications where \(?notifications\.id = \?|^update notifications set due_at = \?, taken_over_at/,
    trusts: { notifications: ['id'] },
    reason: 'A job names a notification; a caller learns of a foreign one that it is foreign, as the contract wants.',
  },
  {
    statement: /\bpass_tombstones\b/,
    trusts: { pass_tombstones: ['pass_id'] },
    reason:
      'A job, or a callback that Google has signed, names a deleted pass, and goes on with the account of its row.',
  },
  {
    statement: /^delete from app_(configurations|scans) where .*app_configurations\.deleted_at is not null/,
    trusts: { app_configurations: ['id'], app_scans: ['configuration_id'] },
    reason: 'A job names a configuration whose account has deleted it.',
  },
  {
    statement:
      /^(insert into event_deliveries .*\brecover_after_id\b|update event_deliveries set (next_attempt_at = \?|state = \?, next_attempt_at = \?|state = outcome\.value .*) (where|from)|update webhook_subscriptions set recover_after_id = \(|delete from event_deliveries where \(event_deliveries\.subscription_id = \?|select (recover_after_id|id, .*) from webhook_subscriptions where webhook_subscriptions\.id = \?$|select account_events\.id .* in \(select event_id from event_deliveries where)/,
    trusts: { event_deliveries: ['subscription_id'], webhook_subscriptions: ['id'] },
    reason: 'A job names a subscription, and goes on with the account of its row.',
  },
  {
    statement:
      /^select .*\bfrom passes inner join templates on templates\.id = passes\.template_id (inner join accounts on accounts\.id = passes\.account_id )?where passes\.id = \?( order by passes\.id asc)?$/,
    trusts: { passes: ['id'] },
    reason:
      'A job, a device or an address that is open to whoever has it names the pass; its secrets are compared before anything is told, and its row says for which account.',
  },
  {
    statement: /\(select passes\.account_id from passes where passes\.id = \?\)/,
    trusts: { passes: ['id'] },
    reason: 'The account of the pass that the statement beside it finds, as above.',
  },
];

/** Requests from devices. Apple's protocol has no accounts, and a device has passes of many. */
const DEVICES: Exception[] = [
  {
    statement:
      /^select .* from registrations where \(\(registrations\.device_id = \? and registrations\.pass_type_id = \?\) and registrations\.pass_id = \?\)$/,
    trusts: { registrations: ['pass_id'] },
    reason:
      'A device asks for a pass that it names; nothing is told before its secret was compared with that of the pass.',
  },
  {
    statement:
      /^select registrations\.pass_id, registrations\.account_id, exists \(.*\) as is_copy, passes\.version, .* where \(\(registrations\.device_id = \? and registrations\.pass_type_id = \?\) and registrations\.ended_at is null\)/,
    trusts: { registrations: ['device_id'] },
    reason:
      'A device asks by its library identifier, which is long, made by chance and known to it alone, which of its passes have changed.',
  },
  {
    statement:
      /^update registrations set push_token = \? where \(\(registrations\.device_id = \? and registrations\.pass_type_id = \?\) and registrations\.ended_at is null/,
    trusts: { registrations: ['device_id'] },
    reason:
      'A device tells by its library identifier, as above, where its pushes go now, and has proved with a secret of one of its passes that it may.',
  },
  {
    statement:
      /^delete from registrations where \(\(\(registrations\.device_id = \? .* not exists \(select 1 from passes where passes\.id = \?\)\)$/,
    trusts: { passes: ['id'], registrations: ['device_id'] },
    reason: 'A device leaves a pass that is gone, and whose secret nobody can compare any more.',
  },
];

const EVERY_TABLE = [...tenantTables().keys()];

/** The operator moves an account to another database: statements name the account, or rows found through it. */
const ACCOUNT_MOVES: Exception[] = [
  {
    statement: /^select max\(rowid\) as number from \w+$/,
    open: EVERY_TABLE,
    reason: 'A move goes through a table by row numbers up to the last one.',
  },
  {
    statement: /^select account_id, target, step, .* from account_moves$/,
    open: ['account_moves'],
    reason: 'The cron ends moves of all accounts, and removes what they have left.',
  },
  {
    statement:
      /^insert into (\w+) \(.*\) select .*row\.value ->> \d.* from json_each\(\?\) as row where true( on conflict|$)/,
    open: EVERY_TABLE,
    reason: 'Rows of the account that moves are stored as the other database has them.',
  },
  {
    statement:
      /^(select .*|delete) from (event_deliveries|webhook_deliveries|taken_callbacks) where \(\w+, \w+\) in \(select named\.value/,
    open: ['event_deliveries', 'webhook_deliveries', 'taken_callbacks'],
    reason: 'Rows of the account that moves are looked at again, perhaps before the rows that say whose they are.',
  },
  {
    statement: /^update account_quotas set used = \(select coalesce\(sum\(/,
    open: ['accounts', 'account_deletions', 'active_pass_counts', 'passes', 'template_deletions', 'templates'],
    reason: 'What an account that moves uses is counted where it lives, with all below it.',
  },
  {
    statement:
      /^delete from account_quotas where account_quotas\.account_id = \? and not exists \(select 1 from accounts/,
    open: ['accounts'],
    reason: 'The quotas of an account that has moved away stand as long as accounts below it live here.',
  },
];

/** Backups and restores process the rows of all tenants; only the service's operator starts them. */
const BACKUPS: Exception[] = [
  {
    statement: /^select place, row from \(select number, place, row, sum\(length\(row\)\) over/,
    open: EVERY_TABLE,
    reason: 'The operator backs up whole tables.',
  },
  {
    statement:
      /^(delete from (\w+) where \(([\w, ]+)\) in \(select \3 from \2 limit \?\) returning 1 as deleted|insert into pass_terms \(pass_terms\) values)/,
    open: EVERY_TABLE,
    reason: 'The operator replaces all data by a backup.',
  },
  {
    // Each column is set, the first one too, which upserts of the product keep.
    statement:
      /^insert into \w+ \((\w+).*\) (select (\(value ->> '\$|iif\(substr\(\(value ->> '\$)|values \().* do update set \1 = excluded\.\1\b/,
    open: EVERY_TABLE,
    reason: 'The operator restores rows of a backup, in place of earlier states of them.',
  },
  {
    statement: /^select count\(\*\) as rows from \w+$/,
    open: EVERY_TABLE,
    reason: 'The operator compares numbers of rows with a backup.',
  },
  {
    statement: /^select coalesce\(\(select max\(key\) from passes\), 0\) as last/,
    open: ['accounts', 'passes'],
    reason: 'A backup asks where the passes end, and whether there is data at all.',
  },
  {
    statement: /^(select processes\.id|select id) from processes order by .* limit \?$/,
    open: ['processes'],
    reason: 'The operator replaces all processes with their objects.',
  },
  {
    statement: /^delete from processes where (processes\.)?id in \(select value from json_each/,
    open: ['processes'],
    reason: 'The operator replaces all processes with their objects.',
  },
];

/** A local service's clock: only its own machine can advance it, and see what happened. */
const CLOCK: Exception[] = [
  {
    statement: /^select json_array\(\(select min\(account_deletions\.due_at\)/,
    open: [
      ...['account_deletions', 'account_quotas', 'certificates', 'dead_letters', 'messages', 'notifications'],
      ...['pass_erasures', 'pass_tombstones'],
      ...['push_fan_outs', 'push_pages', 'requested_pushes', 'unique_property_changes'],
      ...['event_deliveries', 'webhook_subscriptions'],
    ],
    reason: 'The clock asks for the next time at which anything is due.',
  },
  {
    statement:
      /^select id from processes where \(processes\.finished_at is null or processes\.finished_at > \?\) limit \?$/,
    open: ['processes'],
    reason: 'The clock wakes the objects of all processes that work.',
  },
  {
    statement: /^select [^(]* from accounts where accounts\.lives_in is null and exists \(select 1 from templates/,
    open: ['accounts', 'templates'],
    reason: 'The clock looks for expired passes in each account, one after the other.',
  },
  {
    statement:
      /^select [^(]*, count\(\*\) over \(\) as total from (accounts as owner join account_events|notifications where executed_at) /,
    open: ['accounts', 'account_events', 'notifications'],
    reason: 'The developer is told what has happened in the local service, of whatever account.',
  },
  {
    statement: /^select attempt\.value ->> 'at' as at, webhook_subscriptions\.account_id/,
    open: ['event_deliveries', 'webhook_subscriptions'],
    reason: 'The developer is told what has happened in the local service, of whatever account.',
  },
];

/** The list that `judge-statements.ts` reads. A new entry must say in one sentence why tenants stay separate. */
export const EXCEPTIONS: Exception[] = [
  ...SWEEPS,
  ...GAUGES,
  ...MOVES,
  ...COMMANDS,
  ...NAMED,
  ...JOBS,
  ...DEVICES,
  ...BACKUPS,
  ...CLOCK,
  ...ACCOUNT_MOVES,
];
