import { abilitiesOf, type Scopes } from '../../../domain/api-keys/scopes.ts';

/** What a key may do, and with what: names of templates, addresses; null is no restriction. */
export interface SummarizedKey {
  scopes: Scopes;
  templates: readonly string[] | null;
  addresses: readonly string[] | null;
}

const listOf = (names: readonly string[]) => new Intl.ListFormat('en').format(names);

/** What a key can do, in one sentence behind its name and before its end. */
export function summaryOf({ scopes, templates, addresses }: SummarizedKey): string {
  const limits = [
    ...(templates ? [`only for ${listOf(templates)}`] : []),
    ...(addresses ? [`only from ${listOf(addresses)}`] : []),
  ];
  return [`can ${abilitiesOf(scopes)}`, ...limits].join(', ');
}
