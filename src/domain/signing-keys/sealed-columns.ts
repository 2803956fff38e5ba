import { type SealedColumn, sealedColumn } from '../sealed-columns.ts';
import { signingKeys } from './table.ts';

/** Encrypted columns of signing keys, including replaced ones. */
export const SIGNING_KEY_SECRETS: SealedColumn[] = [sealedColumn(signingKeys, 'privateKeySealed', signingKeys.id)];
