import { type SealedColumn, sealedColumn } from '../sealed-columns.ts';
import { signingKeys } from './table.ts';

/** What is encrypted of signing keys, replaced ones included. */
export const SIGNING_KEY_SECRETS: SealedColumn[] = [sealedColumn(signingKeys, 'privateKeySealed', signingKeys.id)];
