import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { templates } from '../templates/table.ts';
import { HAND_OVER_LEASE_MS } from './leases.ts';
import { type FanOutKind, type PushFanOut, pushFanOuts } from './table.ts';

/** A fan-out to begin; SQL is of the rows of its source. */
interface NewFanOut {
  id: string;
  accountId: string | SQL;
  kind: FanOutKind;
  templateId: string | SQL | null;
  text: string | SQL | null;
  version: number | null;
  versionBefore?: SQL;
  /** Whether pages are still to be made. */
  isOpen: boolean;
}

/** The statement that begins a fan-out of the selected rows of `source`, for the batch of what causes it; one that exists stays as it is. */
export function beginFanOut(ctx: Context, content: NewFanOut, source: SQL = sql`where true`) {
  const now = Date.now();
  const row: Record<keyof PushFanOut, unknown> = {
    ...content,
    versionBefore: content.versionBefore ?? null,
    cursor: 0,
    createdAt: now,
    dueAt: content.isOpen ? now + HAND_OVER_LEASE_MS : null,
    claim: null,
  };
  const columns = Object.keys(getTableColumns(pushFanOuts)) as (keyof PushFanOut)[];
  const values = sql.join(
    columns.map((name) => sql`${row[name]}`),
    sql`, `,
  );
  return ctx.db.insert(pushFanOuts).select(sql`select ${values} ${source}`).onConflictDoNothing();
}

/** The fan-outs that a publication begins. */
export interface PublicationFanOut {
  ids: string[];
  statements: ReturnType<typeof beginFanOut>[];
}

/**
 * Tells all wallets of a template's passes that a version is published: the statements stand before the one that publishes it, and do nothing when that version, or a later
 * one, is published already.
 */
export function beginPublicationFanOut(ctx: Context, templateId: string, version: number): PublicationFanOut {
  const pending = and(eq(templates.id, templateId), sql`${templates.publishedVersion} < ${version}`);
  const ids = [0, 1].map(() => uuidv7(shardOf(templateId)));
  const statements = (['devices', 'google'] as const).map((kind, i) =>
    beginFanOut(
      ctx,
      {
        id: ids[i]!,
        accountId: sql`${templates.accountId}`,
        kind,
        templateId,
        text: null,
        version,
        versionBefore: sql`${templates.publishedVersion}`,
        isOpen: true,
      },
      sql`from ${templates} where ${pending}`,
    ),
  );
  return { ids, statements };
}
