import { sql } from 'drizzle-orm';
import { type SealedColumn, sealedColumn } from '../sealed-columns.ts';
import { PUSH_OWNER } from './push-settings.ts';
import { certificateRequests, certificates, googleIssuers } from './table.ts';

const { push } = certificates;

const PUSH_SECRET = sql`coalesce(${push} ->> '$.keySealed', ${push} ->> '$.tokenSealed')`;

/** Encrypted columns of certificates and Google issuers. */
export const CERTIFICATE_SECRETS: SealedColumn[] = [
  sealedColumn(certificates, 'privateKeySealed', certificates.id),
  {
    name: 'certificates.push',
    table: certificates,
    row: certificates.id,
    sealed: PUSH_SECRET,
    owner: PUSH_OWNER,
    // All certificates of a pass type keep the same settings.
    replace: (ctx, value, fresh) =>
      ctx.db
        .update(certificates)
        .set({ push: sql`json_replace(${push}, '$.keySealed', ${fresh}, '$.tokenSealed', ${fresh})` })
        .where(sql`${PUSH_SECRET} = ${value.sealed}`)
        .returning({ id: certificates.id }),
  },
  sealedColumn(certificateRequests, 'privateKeySealed', certificateRequests.id),
  sealedColumn(googleIssuers, 'privateKeySealed', googleIssuers.id),
];
