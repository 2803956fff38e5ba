import { type SealedColumn, sealedColumn } from '../sealed-columns.ts';
import { appConfigurationLinks } from './table.ts';

/** Encrypted columns of links to the scanner. */
export const SCANNER_LINK_SECRETS: SealedColumn[] = [
  sealedColumn(appConfigurationLinks, 'secrets', appConfigurationLinks.id),
];
