import { sql } from 'drizzle-orm';
import { type SealedColumn, sealedColumn } from '../sealed-columns.ts';
import { COPY_SECRET_START } from './page/links.ts';
import { bundleLinks, passes } from './table.ts';

const start = sql.raw(String(COPY_SECRET_START));
/** The encrypted token of a bundle in a pass; null if the token was stored before tokens were encrypted. */
const ofCopy = sql`iif(substr(${passes.bundlePageToken}, ${start} - 1, 2) = '.v', substr(${passes.bundlePageToken}, ${start}), null)`;

/** Encrypted columns of the links of passes and bundles. */
export const LINK_TOKENS: SealedColumn[] = [
  sealedColumn(passes, 'secrets', passes.id, { isLarge: true }),
  {
    name: 'passes.bundle_page_token',
    table: passes,
    isLarge: true,
    row: passes.id,
    sealed: ofCopy,
    owner: sql`${passes.accountId} || '/' || ${passes.bundleId}`,
    replace: (ctx, value, fresh) =>
      ctx.db
        .update(passes)
        .set({ bundlePageToken: sql`substr(${passes.bundlePageToken}, 1, ${start} - 1) || ${fresh}` })
        .where(sql`${passes.id} = ${value.row} and ${ofCopy} = ${value.sealed}`)
        .returning({ id: passes.id }),
  },
  sealedColumn(bundleLinks, 'secret', bundleLinks.pageToken, {
    owner: sql`${bundleLinks.accountId} || '/' || ${bundleLinks.bundleId}`,
  }),
];
