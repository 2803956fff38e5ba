import { describe, expect, test } from 'vitest';
import { parseAdminArguments } from '../../scripts/admin-arguments.ts';
import { ADMIN_COMMANDS } from '../../src/admin/commands.ts';

const parse = (line: string) => parseAdminArguments(line.split(' ').filter(Boolean));

describe('parseAdminArguments', () => {
  test('uses the words before and between options as the command', () => {
    expect(parse('api-key create --account A --name N --json')).toEqual({
      command: 'api-key create',
      options: { account: 'A', name: 'N' },
      json: true,
      remote: false,
      help: false,
      places: {},
    });
    expect(parse('--remote sign-in-link --email=e@example.com')).toMatchObject({
      command: 'sign-in-link',
      options: { email: 'e@example.com' },
      remote: true,
    });
  });

  test('reads the key of a command to repeat', () => {
    const { repeat, options } = parse('account create --name N --repeat 01980b5e-4a30-7a52-9c11-0242ac120000');
    expect([repeat, options]).toEqual(['01980b5e-4a30-7a52-9c11-0242ac120000', { name: 'N' }]);
  });

  test('collects an option that may be repeated', () => {
    expect(parse('user invite --privilege scan --privilege read').options).toEqual({ privilege: ['scan', 'read'] });
  });

  test('has no command if none is given', () => {
    expect(parse('')).toMatchObject({ command: '', options: {} });
    expect(parse('-h').help).toBe(true);
  });

  test.each([
    ['account create --nme N', "Unknown option '--nme'. Did you mean --name?"],
    ['account create --name', '--name needs a value.'],
    ['account create --name --json', '--name needs a value.'],
    ['account list --json=yes', '--json takes no value.'],
  ])('rejects "%s" in one sentence', (line, sentence) => {
    expect(() => parse(line)).toThrow(sentence);
  });

  const options = Object.values(ADMIN_COMMANDS).flatMap(({ usage }) => usage.match(/--[\w-]+( \w+)?/g) ?? []);
  test.each([...new Set(options)])('accepts what a command names in its usage: %s', (option) => {
    expect(Object.keys(parse(option).options)).toEqual([option.slice(2).split(' ')[0]]);
  });
});
