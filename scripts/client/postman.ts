import {
  type Contract,
  type ContractOperation,
  fileTypes,
  operationsOf,
  type Parameter,
  parametersIn,
} from './contract.ts';

type Json = Record<string, unknown>;

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const LOCAL_SERVICE = 'http://localhost:8787';
/** Headers of no use to a person. */
const LEFT_OUT = ['X-D1-Bookmark'];

/** Converts the contract to a Postman collection (format 2.1): a folder per tag, a request per operation. */
export function postmanCollection(contract: Contract): Json {
  const operations = operationsOf(contract);
  return {
    info: { name: contract.info.title, description: contract.info.description, schema: SCHEMA },
    auth: apiKeyAuth(),
    variable: [
      { key: 'baseUrl', value: LOCAL_SERVICE, type: 'string' },
      { key: 'apiKey', value: '', type: 'string' },
    ],
    item: contract.tags.map(({ name, description }) => ({
      name,
      description,
      item: operations.filter(({ tags }) => tags.includes(name)).map(itemOf),
    })),
  };
}

function apiKeyAuth(): Json {
  const entries = { key: 'Authorization', value: '{{apiKey}}', in: 'header' };
  return { type: 'apikey', apikey: Object.entries(entries).map(([key, value]) => ({ key, value, type: 'string' })) };
}

function itemOf(operation: ContractOperation): Json {
  const { operationId, summary, description, security } = operation;
  return {
    name: summary,
    request: {
      ...requestOf(operation),
      description: [description, `\`operationId\`: ${operationId}`].filter(Boolean).join('\n\n'),
      ...(security?.length === 0 ? { auth: { type: 'noauth' } } : {}),
    },
    response: examplesOf(operation),
  };
}

function requestOf(operation: ContractOperation): Json {
  const example = operation.requestBody?.content['application/json']?.example;
  const [file] = fileTypes(operation);
  const type = file ?? (example === undefined ? undefined : 'application/json');
  const headers = parametersIn(operation, 'header').filter(({ name }) => !LEFT_OUT.includes(name));
  return {
    method: operation.method,
    header: [
      ...(type === undefined ? [] : [{ key: 'Content-Type', value: type }]),
      ...headers.map((header) => ({
        ...entryOf(header),
        value: header.name === 'Idempotency-Key' ? '{{$guid}}' : '',
      })),
    ],
    url: urlOf(operation),
    ...(file ? { body: { mode: 'file', file: {} } } : {}),
    ...(example === undefined ? {} : { body: { mode: 'raw', raw: pretty(example), options: JSON_BODY } }),
  };
}

const JSON_BODY = { raw: { language: 'json' } };

function urlOf(operation: ContractOperation): Json {
  const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
  const query = parametersIn(operation, 'query').map(entryOf);
  const variable = parametersIn(operation, 'path').map(({ name }) => ({ key: name, value: '' }));
  const sent = query.filter(({ disabled }) => !disabled).map(({ key }) => `${key}=`);
  return {
    raw: `{{baseUrl}}${path}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{baseUrl}}'],
    path: path.slice(1).split('/'),
    ...(query.length > 0 ? { query } : {}),
    ...(variable.length > 0 ? { variable } : {}),
  };
}

/** Optional parameters are disabled, ready to be switched on. */
function entryOf({ name, required, description, schema }: Parameter) {
  const text = description ?? schema.description;
  return { key: name, value: '', ...(text ? { description: text } : {}), ...(required ? {} : { disabled: true }) };
}

function examplesOf({ responses }: ContractOperation): Json[] {
  return Object.entries(responses).flatMap(([status, { description = '', content }]) => {
    const [found] = Object.entries(content ?? {});
    if (!status.startsWith('2') || found?.[1].example === undefined) return [];
    const [type, { example }] = found;
    return {
      name: description,
      code: Number(status),
      header: [{ key: 'Content-Type', value: type }],
      body: typeof example === 'string' ? example : pretty(example),
    };
  });
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
