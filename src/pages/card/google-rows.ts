import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { classTemplateInfo, textModules } from '../../wallets/google/layout.ts';

type RowItem = { firstValue: { fields: { fieldPath: string }[] } } | undefined;
/** `oneItem`, `twoItems` or `threeItems`, with its items by place. */
type Row = Record<string, Record<string, RowItem> | undefined>;

const BALANCE_PATH = 'object.loyaltyPoints.balance';

/**
 * The rows of fields on the front of a card in Google Wallet: what its class says, so that the picture shows what
 * Google gets.
 */
export function googleRows(card: Card): CardField[][] {
  const modules = new Map(textModules(card).map(({ id, field }) => [`object.textModulesData['${id}']`, field]));
  const balance = card.fields.primaryFields[0];
  if (balance) modules.set(BALANCE_PATH, balance);
  const rows: Row[] = classTemplateInfo(card)?.cardTemplateOverride.cardRowTemplateInfos ?? [];
  return rows
    .map((row) => {
      const items = Object.values(row).flatMap((places) => Object.values(places ?? {}));
      const paths = items.flatMap((item) => item?.firstValue.fields.map(({ fieldPath }) => fieldPath) ?? []);
      return paths.flatMap((path) => modules.get(path) ?? []).filter(({ value }) => value !== '');
    })
    .filter((row) => row.length > 0);
}
