import { callStyle } from './call-style.ts';
import {
  type Contract,
  type ContractOperation,
  fileTypes,
  operationsOf,
  type Parameter,
  parametersIn,
  type Schema,
  successContents,
} from './contract.ts';
import { comment, memberName, typeOf } from './schema-type.ts';

const HEAD = '// Generated from test/openapi.json by npm run contract. Do not edit.\n';
/** Headers that the client sends automatically. */
const OWN_HEADERS = ['Idempotency-Key', 'X-D1-Bookmark'];

/** Returns method, path and style of each operation, all the client needs at run time. */
export function operationTable(contract: Contract): string {
  const lines = operationsOf(contract).map((operation) => {
    const { operationId, method, path } = operation;
    return `  ${operationId}: '${[method, path, ...callStyle(operation).words].join(' ')}',\n`;
  });
  return `${HEAD}
/** Method, path and style of a call, by \`operationId\`. */
export const OPERATIONS = {
${lines.join('')}} as const;
`;
}

/** Returns the types of the contract: a method per operation, its input and reply, and event bodies. */
export function contractTypes(contract: Contract): string {
  const named = new NamedTypes();
  const operations = operationsOf(contract);
  const methods = operations.map((operation) => methodOf(operation, named));
  const replies = operations.map(({ operationId }) => `  ${operationId}: ${replyNameOf(operationId, named)};\n`);
  const inputs = operations.map((operation) => `  ${operation.operationId}: ${inputOf(operation, named)};\n`);
  const events = Object.entries(contract.webhooks).map(([type, { post }]) => {
    const schema = post.requestBody?.content['application/json']?.schema ?? {};
    return `${comment(post.summary, '  ')}  ${type}: ${named.add(`${pascalCase(type)}Event`, schema, post.description)};\n`;
  });
  return [
    HEAD,
    "import type { Pages } from '../pages.ts';\n",
    "import type { CallOptions, FileBody } from '../call.ts';\n\n",
    ...named.texts,
    '/** Input of each operation. */\n',
    `export interface Inputs {\n${inputs.join('')}}\n\n`,
    '/** Body of the reply of each operation. */\n',
    `export interface Replies {\n${replies.join('')}}\n\n`,
    '/** A method for each operation of the contract. */\n',
    `export interface Operations {\n${methods.join('')}}\n\n`,
    '/** Bodies of events, by type. */\n',
    `export interface EventBodies {\n${events.join('')}}\n`,
  ].join('');
}

/** Named types. A type equal to an earlier one becomes an alias for it. */
class NamedTypes {
  texts: string[] = [];
  #known = new Map<string, string>();
  #names = new Set<string>();

  add(name: string, schema: Schema, description?: string): string {
    return this.addText(name, typeOf(schema), description);
  }

  addText(name: string, text: string, description?: string): string {
    const earlier = this.#known.get(text);
    const isObject = text.startsWith('{') && text.indexOf('\n}') === text.length - 2;
    if (this.#names.has(name)) return name;
    this.#names.add(name);
    if (earlier) this.texts.push(`export type ${name} = ${earlier};\n\n`);
    else if (isObject) this.texts.push(`${comment(description, '')}export interface ${name} ${text}\n\n`);
    else this.texts.push(`${comment(description, '')}export type ${name} = ${text};\n\n`);
    if (!earlier && text.includes('\n')) this.#known.set(text, name);
    return name;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }
}

function methodOf(operation: ContractOperation, named: NamedTypes): string {
  const { operationId: id, summary, description, deprecated } = operation;
  const { items } = callStyle(operation);
  const reply = addReply(operation, named);
  addInputs(operation, named);
  const item = items === undefined ? '' : `${reply}${items === '' ? '' : `['${items}']`}[number]`;
  const result = items === undefined ? `Promise<${reply}>` : `Pages<${reply}, ${item}>`;
  const text = [`${summary}.`, description].filter(Boolean).join(' ');
  const mark = hasRequired(operation) ? '' : '?';
  const doc = comment(deprecated ? `@deprecated ${text}` : text, '  ');
  return `${doc}  ${id}(input${mark}: Inputs['${id}'], options?: CallOptions): ${result};\n`;
}

function addReply(operation: ContractOperation, named: NamedTypes): string {
  const name = `${pascalCase(operation.operationId)}Reply`;
  const types = successContents(operation).map((reply) => {
    if (!reply) return 'undefined';
    const [type, { schema = {} }] = reply;
    return type === 'application/json' ? typeOf(withNamedParts(operation, schema, named)) : 'Response';
  });
  return named.addText(name, [...new Set(types)].join(' | '), `Reply of \`${operation.operationId}\`.`);
}

/** Names the types of a reply's data, or of the items in its list. */
function withNamedParts(operation: ContractOperation, schema: Schema, named: NamedTypes): Schema {
  const name = pascalCase(operation.operationId);
  const nameItems = (list: Schema): Schema => {
    if (!list.items?.properties) return list;
    return {
      ...list,
      items: { typeName: named.add(`${name}Item`, list.items, `Item of \`${operation.operationId}\`.`) },
    };
  };
  if (schema.type === 'array') return nameItems(schema);
  const { results, data } = schema.properties ?? {};
  if (results?.items) return { ...schema, properties: { ...schema.properties, results: nameItems(results) } };
  if (data?.items) return { ...schema, properties: { ...schema.properties, data: nameItems(data) } };
  if (!data?.properties) return schema;
  const typeName = named.add(`${name}Data`, data, `Data of \`${operation.operationId}\`.`);
  return { ...schema, properties: { ...schema.properties, data: { typeName } } };
}

function addInputs(operation: ContractOperation, named: NamedTypes): void {
  const name = pascalCase(operation.operationId);
  const query = parametersIn(operation, 'query');
  if (query.length > 0) named.addText(`${name}Query`, parametersType(query), `Query of \`${operation.operationId}\`.`);
  const schema = bodySchema(operation);
  if (schema) named.add(`${name}Body`, schema, `Body of \`${operation.operationId}\`.`);
}

const bodySchema = ({ requestBody }: ContractOperation) => requestBody?.content['application/json']?.schema;

const headersOf = (operation: ContractOperation) =>
  parametersIn(operation, 'header').filter(({ name }) => !OWN_HEADERS.includes(name));

function hasRequired(operation: ContractOperation): boolean {
  const { parameters = [], requestBody } = operation;
  return parameters.some(({ required }) => required) || requestBody?.required === true;
}

function inputOf(operation: ContractOperation, named: NamedTypes): string {
  const name = pascalCase(operation.operationId);
  const path = parametersIn(operation, 'path').map((one) => `${one.name}: string | number`);
  const headers = headersOf(operation).map((one) => `${memberName(one.name)}?: string`);
  const files = fileTypes(operation);
  if (files.length > 0) headers.push(`'Content-Type'?: ${files.map((type) => `'${type}'`).join(' | ')}`);
  const query = parametersIn(operation, 'query').some(({ required }) => required);
  const parts = [
    path.length > 0 && `path: { ${path.join('; ')} }`,
    named.has(`${name}Query`) && `query${query ? '' : '?'}: ${name}Query`,
    named.has(`${name}Body`) && `body${operation.requestBody?.required ? '' : '?'}: ${name}Body`,
    files.length > 0 && `body${operation.requestBody?.required ? '' : '?'}: FileBody`,
    headers.length > 0 && `headers?: { ${headers.join('; ')} }`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Record<never, never>' : `{ ${parts.join('; ')} }`;
}

function parametersType(parameters: Parameter[]): string {
  const members = parameters.map(({ name, required, description, schema }) => {
    const text = comment(description ?? schema.description, '  ');
    return `${text}  ${memberName(name)}${required ? '' : '?'}: ${parameterType(schema)};\n`;
  });
  return `{\n${members.join('')}}`;
}

/** A query parameter is text on the wire, so booleans and numbers are allowed, too. */
function parameterType(schema: Schema): string {
  if (schema.enum?.join() === 'true,false') return "boolean | 'true' | 'false'";
  if (schema.pattern?.includes('\\d') && schema.type === 'string') return 'string | number';
  return typeOf(schema);
}

const replyNameOf = (operationId: string, named: NamedTypes) => {
  const name = `${pascalCase(operationId)}Reply`;
  return named.has(name) ? name : 'unknown';
};

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
}
