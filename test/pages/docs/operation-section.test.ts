import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { ContractOperation, Parameter } from '../../../src/pages/docs/contract.ts';
import { curlCommand } from '../../../src/pages/docs/operation-section.tsx';

const BASE_URL = 'https://passes.example';

const OPERATION: ContractOperation = {
  id: 'do',
  method: 'GET',
  path: '/api/v3/pass',
  version: 3,
  summary: 'Do it',
  deprecated: false,
  secured: true,
  parameters: [],
  replies: [],
  failures: [],
};

const query = (name: string, required: boolean, schema: object = { type: 'string' }): Parameter => ({
  name,
  in: 'query',
  required,
  schema,
});

/** Returns the arguments that curl gets when a POSIX shell runs the command. */
function argumentsOf(operation: Partial<ContractOperation>, environment: Record<string, string> = {}): string[] {
  const command = curlCommand({ ...OPERATION, ...operation }, BASE_URL, {});
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`;
  const output = execFileSync('sh', ['-c', script], { env: environment, encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

describe('curlCommand', () => {
  test('sends the key from the shell variable', () => {
    expect(argumentsOf({}, { API_KEY: 'pk_secret' })).toEqual([
      `${BASE_URL}/api/v3/pass`,
      '-H',
      'Authorization: pk_secret',
    ]);
    expect(argumentsOf({ secured: false })).toEqual([`${BASE_URL}/api/v3/pass`]);
  });

  test('takes path parameters from shell variables', () => {
    const sent = argumentsOf({ method: 'DELETE', path: '/api/pass/{passId}' }, { PASS_ID: '0198' });
    expect(sent.slice(0, 3)).toEqual(['-X', 'DELETE', `${BASE_URL}/api/pass/0198`]);
  });

  test('fills in required query parameters, and omits the others', () => {
    const parameters = [
      query('passtemplate', true),
      query('integrationStyle', true, { type: 'string', enum: ['true', '1'] }),
      query('start', false),
    ];
    const [url] = argumentsOf({ parameters }, { PASSTEMPLATE: 'abc' });
    expect(url).toBe(`${BASE_URL}/api/v3/pass?passtemplate=abc&integrationStyle=true`);
  });

  test('passes a body through the shell unchanged', () => {
    const example = { name: `It's "$HOME" \\ \`x\`\n– ü` };
    const sent = argumentsOf({ method: 'POST', body: { type: 'application/json', required: true, example } });
    expect(sent).toContain('Content-Type: application/json');
    expect(JSON.parse(sent[sent.indexOf('-d') + 1]!)).toEqual(example);
  });

  test('sends a file if an operation accepts one', () => {
    const sent = argumentsOf(
      { method: 'POST', body: { type: 'application/zip', required: true } },
      { FILE: 'a b.zip' },
    );
    expect(sent).toContain('Content-Type: application/zip');
    expect(sent.slice(-2)).toEqual(['--data-binary', '@a b.zip']);
  });

  test('builds a body from the schema if there is no example', () => {
    const schema = {
      type: 'object',
      properties: { on: { type: 'boolean' }, list: { type: 'array', items: { enum: [3] } } },
    };
    const sent = argumentsOf({ method: 'POST', body: { type: 'application/json', required: true, schema } });
    expect(JSON.parse(sent.at(-1)!)).toEqual({ on: true, list: [3] });
  });
});
