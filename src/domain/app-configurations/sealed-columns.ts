import { type SealedColumn, stillStands } from '../sealed-columns.ts';
import { appConfigurationLinks } from './table.ts';

/** What is encrypted of links to the scanner app. */
export const SCANNER_LINK_SECRETS: SealedColumn[] = [
  {
    name: 'app_configuration_links.secrets',
    table: appConfigurationLinks,
    row: appConfigurationLinks.id,
    sealed: appConfigurationLinks.secrets,
    replace: (ctx, value, fresh) =>
      ctx.db
        .update(appConfigurationLinks)
        .set({ secrets: fresh })
        .where(stillStands({ row: appConfigurationLinks.id, sealed: appConfigurationLinks.secrets }, value))
        .returning({ id: appConfigurationLinks.id }),
  },
];
