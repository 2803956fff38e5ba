import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { apiKeys } from '../api-keys/table.ts';
import { appConfigurationLinks, appConfigurations } from '../app-configurations/table.ts';
import { type AccountContext, inDirectory } from '../context.ts';
import type { FactActor } from '../pass-facts/facts.ts';
import { memberships, users } from '../users/table.ts';

/**
 * Finds the current names of actors: the name of an API key, the address of a member, the configuration of a scanner
 * link; null for a deleted one. One round trip, none if only the caller is to be named. Members are read in parallel if
 * the account lives outside the directory.
 */
export async function findActors(
  ctx: AccountContext,
  actors: FactActor[],
): Promise<(actor: FactActor) => string | null> {
  const { actor: caller } = ctx;
  const names = new Map(caller?.id ? [[caller.id, caller.name]] : []);
  const nameOf = ({ id }: FactActor) => (id === null ? null : (names.get(id) ?? null));
  const ids = [...new Set(actors.flatMap(({ id }) => id ?? []))].filter((id) => !names.has(id));
  if (ids.length === 0) return nameOf;
  const wanted = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  const own = ctx.account.id;
  const directory = inDirectory(ctx);
  const members = sql`select ${users.id}, ${users.email} as name from ${memberships} cross join ${users} on ${users.id} = ${memberships.userId}
        where ${memberships.userId} in ${wanted} and ${memberships.accountId} = ${own}`;
  const isTogether = directory.db === ctx.db;
  const elsewhere = isTogether ? [] : rawStatement<{ id: string; name: string }>(directory.db, members);
  const here = rawStatement<{ id: string; name: string }>(
    ctx.db,
    sql`select id, name from ${apiKeys} where id in ${wanted} and +account_id = ${own}
      ${isTogether ? sql`union all ${members}` : sql``}
      union all select ${appConfigurationLinks.id}, ${appConfigurations.name} from ${appConfigurationLinks}
        join ${appConfigurations} on ${appConfigurations.id} = ${appConfigurationLinks.configurationId}
        where ${appConfigurationLinks.id} in ${wanted} and +${appConfigurationLinks.accountId} = ${own}`,
  );
  for (const { id, name } of (await Promise.all([here, elsewhere])).flat()) names.set(id, name);
  return nameOf;
}
