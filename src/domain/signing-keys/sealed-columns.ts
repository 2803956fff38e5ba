import { type SealedColumn, stillStands } from '../sealed-columns.ts';
import { signingKeys } from './table.ts';

/** What is encrypted of signing keys, replaced ones included. */
export const SIGNING_KEY_SECRETS: SealedColumn[] = [
  {
    name: 'signing_keys.private_key_sealed',
    table: signingKeys,
    row: signingKeys.id,
    sealed: signingKeys.privateKeySealed,
    replace: (ctx, value, fresh) =>
      ctx.db
        .update(signingKeys)
        .set({ privateKeySealed: fresh })
        .where(stillStands({ row: signingKeys.id, sealed: signingKeys.privateKeySealed }, value))
        .returning({ id: signingKeys.id }),
  },
];
