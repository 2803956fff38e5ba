import { type SealedColumn, sealedColumn } from '../sealed-columns.ts';
import { appConfigurationLinks } from './table.ts';

/** What is encrypted of links to the scanner app. */
export const SCANNER_LINK_SECRETS: SealedColumn[] = [
  sealedColumn(appConfigurationLinks, 'secrets', appConfigurationLinks.id),
];
