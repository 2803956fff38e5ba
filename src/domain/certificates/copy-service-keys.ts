import { and, asc, isNull, notInArray } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type Context, inDatabase, inDirectory } from '../context.ts';
import { usedDatabases } from '../databases/list-databases.ts';
import { DIRECTORY } from '../shard-map.ts';
import { certificates, googleIssuers } from './table.ts';

/**
 * Gives databases the certificates and issuers of the service as the directory has them: whoever signs reads them in
 * the same round trip as those of the account. An import does so, and the cron repairs what one has missed.
 */
export async function copyServiceKeys(ctx: Context, names: string[]): Promise<void> {
  const wanted = await serviceKeys(inDirectory(ctx));
  for (const name of names) {
    const home = inDatabase(ctx, name);
    if (JSON.stringify(await serviceKeys(home)) !== JSON.stringify(wanted)) await replaceKeys(home, wanted);
  }
}

/** The same for all databases that the service uses. */
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
