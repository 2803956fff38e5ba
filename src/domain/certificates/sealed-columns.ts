import { sql } from 'drizzle-orm';
import { type SealedColumn, stillStands } from '../sealed-columns.ts';
import { PUSH_OWNER } from './push-settings.ts';
import { certificates, googleIssuers } from './table.ts';

const { push } = certificates;

const PUSH_SECRET = sql`coalesce(${push} ->> '$.keySealed', ${push} ->> '$.tokenSealed')`;

/** What is encrypted of certificates and Google issuers. */
export const CERTIFICATE_SECRETS: SealedColumn[] = [
  {
    name: 'certificates.private_key_sealed',
    table: certificates,
    row: certificates.id,
    sealed: certificates.privateKeySealed,
    replace: (ctx, value, fresh) =>
      ctx.db
        .update(certificates)
        .set({ privateKeySealed: fresh })
        .where(stillStands({ row: certificates.id, sealed: certificates.privateKeySealed }, value))
        .returning({ id: certificates.id }),
  },
  {
    name: 'certificates.push',
    table: certificates,
    row: certificates.id,
    sealed: PUSH_SECRET,
    owner: PUSH_OWNER,
    // All certificates of a pass type go on having the same settings.
    replace: (ctx, value, fresh) =>
      ctx.db
        .update(certificates)
        .set({ push: sql`json_replace(${push}, '$.keySealed', ${fresh}, '$.tokenSealed', ${fresh})` })
        .where(sql`${PUSH_SECRET} = ${value.sealed}`)
        .returning({ id: certificates.id }),
  },
  {
    name: 'google_issuers.private_key_sealed',
    table: googleIssuers,
    row: googleIssuers.id,
    sealed: googleIssuers.privateKeySealed,
    replace: (ctx, value, fresh) =>
      ctx.db
        .update(googleIssuers)
        .set({ privateKeySealed: fresh })
        .where(stillStands({ row: googleIssuers.id, sealed: googleIssuers.privateKeySealed }, value))
        .returning({ id: googleIssuers.id }),
  },
];
