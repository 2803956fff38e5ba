import { type ContractOperation, fileTypes, parametersIn, type Schema, successContents } from './contract.ts';

const JSON_TYPE = 'application/json';

/** How the client calls an operation, beyond method and path. */
export interface CallStyle {
  /**
   * Words for the client's table: `key` sends an `Idempotency-Key`, `once` repeats only refused requests, `raw` leaves
   * the body to the caller, others name the pagination. A second word is the member that names an item, or the type of
   * a file to send.
   */
  words: string[];
  /** Path of a list's items in a reply; empty if the reply is the array. */
  items?: 'results' | 'data' | '';
}

/** Derives an operation's call style from the contract. */
export function callStyle(operation: ContractOperation): CallStyle {
  const types = successContents(operation).flatMap((reply) => reply?.[0] ?? []);
  if (types.some((type) => type !== JSON_TYPE)) return { words: ['raw'] };
  const list = listStyle(operation);
  if (list) return list;
  const [file] = fileTypes(operation);
  const takesKey = parametersIn(operation, 'header').some(({ name }) => name === 'Idempotency-Key');
  // Reads need no key, which would cost the service a row.
  const writes = !operation['x-required-scope']?.endsWith(':read');
  const style = takesKey && writes ? 'key' : 'plain';
  if (style === 'plain' && startsWork(operation)) return { words: ['once'] };
  return { words: style === 'key' || file ? [style, ...(file ? [file] : [])] : [] };
}

/** Whether a repeat would start the work again, because no key identifies it. */
function startsWork({ method, responses }: ContractOperation): boolean {
  return method !== 'GET' && '202' in responses;
}

function listStyle(operation: ContractOperation): CallStyle | undefined {
  if (!/^(list|search)/.test(operation.operationId)) return undefined;
  const reply = successContents(operation)[0]?.[1].schema;
  const items = reply && placeOfItems(reply);
  if (items === undefined) return undefined;
  return { words: pagingWords(operation, reply!, items), items };
}

function placeOfItems({ type, properties = {} }: Schema): CallStyle['items'] | undefined {
  if (type === 'array') return '';
  return (['results', 'data'] as const).find((name) => properties[name]?.type === 'array');
}

function pagingWords(operation: ContractOperation, reply: Schema, items: CallStyle['items']): string[] {
  const { query, page } = reply.properties ?? {};
  if (query?.properties?.next || page?.properties?.next) return ['next'];
  const names = parametersIn(operation, 'query').map(({ name }) => name);
  if (names.includes('startUid')) return ['uid', idOf(items ? reply.properties?.[items] : reply)];
  // Stored payloads have no cursor: they are acknowledged, then listed again.
  return [names.includes('limit') ? 'again' : 'all'];
}

function idOf(list: Schema | undefined): string {
  const members = list?.items?.properties ?? {};
  return 'identifier' in members ? 'identifier' : 'id';
}
