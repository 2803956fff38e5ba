import { and, asc, isNull, notInArray } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type Context, inDatabase, inDirectory } from '../context.ts';
import { usedDatabases } from '../databases/list-databases.ts';
import { DIRECTORY } from '../shard-map.ts';
import { certificates, googleIssuers } from './table.ts';

/**
 * Copies the service's certificates and issuers from the directory to other databases, so that signing reads them in
 * the same round trip as the account's. Each import does this, and the cron repairs what an import missed.
 */
export async function copyServiceKeys(ctx: Context, names: string[]): Promise<void> {
  const wanted = await serviceKeys(inDirectory(ctx));
  for (const name of names) {
    const home = inDatabase(ctx, name);
    if (JSON.stringify(await serviceKeys(home)) !== JSON.stringify(wanted)) await replaceKeys(home, wanted);
  }
}

/** Copies them to all databases that the service uses. */
export async function shareServiceKeys(ctx: Context): Promise<void> {
  const others = (await usedDatabases(ctx)).flatMap(({ name }) => (name === DIRECTORY ? [] : name));
  if (others.length > 0) await copyServiceKeys(ctx, others);
}

type ServiceKeys = Awaited<ReturnType<typeof serviceKeys>>;

function serviceKeys({ db }: Context) {
  return db.batch([
    db.select().from(certificates).where(isNull(certificates.accountId)).orderBy(asc(certificates.id)),
    db.select().from(googleIssuers).where(isNull(googleIssuers.accountId)).orderBy(asc(googleIssuers.id)),
  ]);
}

async function replaceKeys({ db }: Context, [keys, issuers]: ServiceKeys): Promise<void> {
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const statements: BatchItem<'sqlite'>[] = [
    db.delete(certificates).where(and(isNull(certificates.accountId), notInArray(certificates.id, idsOf(keys)))),
    db.delete(googleIssuers).where(and(isNull(googleIssuers.accountId), notInArray(googleIssuers.id, idsOf(issuers)))),
    ...keys.map((row) => db.insert(certificates).values(row).onConflictDoUpdate({ target: certificates.id, set: row })),
    ...issuers.map((row) =>
      db.insert(googleIssuers).values(row).onConflictDoUpdate({ target: googleIssuers.id, set: row }),
    ),
  ];
  await db.batch(statements as [BatchItem<'sqlite'>]);
}
