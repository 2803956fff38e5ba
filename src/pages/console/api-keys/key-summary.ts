import { abilitiesOf, type Scopes } from '../../../domain/api-keys/scopes.ts';

/** Scopes and limits of a key: template names and IP addresses. Null means no limit. */
interface SummarizedKey {
  scopes: Scopes;
  templates: readonly string[] | null;
  addresses: readonly string[] | null;
}

const listOf = (names: readonly string[]) => new Intl.ListFormat('en').format(names);

/** Describes what a key can do. The result stands after the key's name in a sentence. */
export function summaryOf({ scopes, templates, addresses }: SummarizedKey): string {
  const limits = [
    ...(templates ? [`only for ${listOf(templates)}`] : []),
    ...(addresses ? [`only from ${listOf(addresses)}`] : []),
  ];
  return [`can ${abilitiesOf(scopes)}`, ...limits].join(', ');
}
