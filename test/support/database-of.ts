import { crc32 } from 'node:zlib';
import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { shardOf } from '../../src/platform/ids.ts';

/** Databases of the Worker under test: the directory, then the others. */
export const DATABASES = [DIRECTORY, 'DB_1', 'DB_2', 'DB_3'];
export const FURTHER_DATABASES = DATABASES.slice(1);

/** Names the database of all accounts of a run in place of the one that each file has. */
const ACCOUNTS_IN = process.env.ACCOUNTS_IN;

/**
 * The database of the accounts of a test file: one of four, by its path within the repository, so that what fails fails
 * again. All of a file live together, because rows of strangers are only near each other in one database.
 */
export function homeOf(path: string): string {
  return ACCOUNTS_IN ?? DATABASES[crc32(path) % DATABASES.length]!;
}

/** The database of an account. */
export function databaseOf({ accountId }: { accountId: string }): string {
  return DATABASES[shardOf(accountId)]!;
}

/** Tables with rows of no account, or of people: only those of the directory have any. */
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

/** Identifiers of the service, also as they stand in names of triggers. */
const IDENTIFIER = /[0-9a-f]{8}([-_])[0-9a-f]{4}\1[78][0-9a-f]{3}\1[0-9a-f]{4}\1[0-9a-f]{12}/g;

/** The database in which a statement of a test has its rows: that of the identifiers that it names, if it is one. */
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
