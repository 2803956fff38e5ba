import { crc32 } from 'node:zlib';
import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { shardOf } from '../../src/platform/ids.ts';

/** Databases of the Worker under test: the directory, then the others. */
export const DATABASES = [DIRECTORY, 'DB_1', 'DB_2', 'DB_3'];
export const FURTHER_DATABASES = DATABASES.slice(1);

/** One database for all accounts of a run, instead of one per file. */
const ACCOUNTS_IN = process.env.ACCOUNTS_IN;

/**
 * Returns the database of a test file's accounts: one of four, chosen by its path in the repository, so that failures
 * repeat. A file's accounts share one, because other tenants' rows are only adjacent within a database.
 */
export function homeOf(path: string): string {
  return ACCOUNTS_IN ?? DATABASES[crc32(path) % DATABASES.length]!;
}

/** Returns an account's database. */
export function databaseOf({ accountId }: { accountId: string }): string {
  return DATABASES[shardOf(accountId)]!;
}

/** Tables with rows of users or of no account: only the directory has such rows. */
const DIRECTORY_TABLES = [
  ...['users', 'memberships', 'sessions', 'sign_in_tokens', 'passkeys', 'passkey_challenges'],
  ...[
    'databases',
    'shard_places',
    'service_samples',
    'service_settings',
    'service_alerts',
    'operator_mails',
    'outbox_items',
    'metric_points',
  ],
];
const OF_DIRECTORY = new RegExp(`\\b(?:from|join|into|update) (?:${DIRECTORY_TABLES.join('|')})\\b`);

/** Matches the service's identifiers, also in the form used in trigger names. */
const IDENTIFIER = /[0-9a-f]{8}([-_])[0-9a-f]{4}\1[78][0-9a-f]{3}\1[0-9a-f]{4}\1[0-9a-f]{12}/g;

/** Returns the database with a test statement's rows: that of the identifiers in it, if they agree. */
export function databaseNamedIn(statement: string, params: unknown[]): string {
  if (OF_DIRECTORY.test(statement)) return DIRECTORY;
  const named = [statement, ...params].flatMap((text) => (typeof text === 'string' ? shardsIn(text) : []));
  const [shard, ...others] = new Set(named);
  if (shard !== undefined && others.length === 0) return DATABASES[shard]!;
  throw new Error(`say in which database: identifiers name ${named.length === 0 ? 'none' : 'several'} in ${statement}`);
}

function shardsIn(text: string): number[] {
  const shards = [...text.matchAll(IDENTIFIER)].map(([identifier]) => shardOf(identifier));
  return shards.filter((shard) => shard < DATABASES.length);
}
