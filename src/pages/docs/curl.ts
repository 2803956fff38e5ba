import type { Content, ContractOperation, NamedSchemas, Parameter } from './contract.ts';
import { sampleOf } from './sample.ts';
import { resolved } from './schema-words.ts';

/**
 * Returns the curl command for an operation. Values that only the reader knows are shell variables: `$API_KEY`, and the
 * names of path and required query parameters in capitals.
 */
export function curlCommand(operation: ContractOperation, baseUrl: string, named: NamedSchemas): string {
  const { method, secured, body } = operation;
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"${addressOf(operation, baseUrl, named)}"`];
  if (secured) lines.push('-H "Authorization: $API_KEY"');
  if (body && !isJson(body)) lines.push(`-H 'Content-Type: ${body.type}'`, '--data-binary @"$FILE"');
  else if (body) {
    const example = body.example ?? (body.schema ? sampleOf(body.schema, named) : {});
    lines.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(example, null, 2))}`);
  }
  return lines.join(' \\\n  ');
}

/** Returns whether a body is JSON, not a file. */
export function isJson({ type }: Content): boolean {
  return type === 'application/json';
}

function addressOf({ path, parameters }: ContractOperation, baseUrl: string, named: NamedSchemas): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => shellVariable(name));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${queryValue(parameter, named)}`);
  return baseUrl + filled + (query.length > 0 ? `?${query.join('&')}` : '');
}

function queryValue({ name, schema }: Parameter, named: NamedSchemas): string {
  const { example, const: only, enum: values, default: usual, type } = resolved(schema, named);
  const value = example ?? only ?? values?.[0] ?? usual ?? (type === 'boolean' ? true : undefined);
  return value === undefined ? shellVariable(name) : encodeURIComponent(String(value));
}

/** Formats `passId` as `$PASS_ID`. */
function shellVariable(name: string): string {
  return `$${name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()}`;
}

/** Quotes a text for a POSIX shell (XCU §2.2.2: nothing can be escaped between single quotes). */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
