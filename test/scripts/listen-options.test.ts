import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { LISTEN } from '../../scripts/cli/commands/listen.ts';
import { commandHelp } from '../../scripts/cli/help.ts';
import { writePrivateJson } from '../../scripts/files.ts';
import { readListenOptions } from '../../scripts/listen/options.ts';
import { Problem } from '../../scripts/settings.ts';
import { EVENT_TYPES } from '../../src/domain/events/catalog.ts';

const folder = mkdtempSync(join(tmpdir(), 'listen-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
writePrivateJson(join(folder, 'demo.json'), { baseUrl: 'http://localhost:8787', apiKey: 'pk_demo' });
const LOCAL = { LOCAL_DIR: folder };
const AWAY = { LOCAL_DIR: join(folder, 'nothing') };

const read = (line: string, env: NodeJS.ProcessEnv = LOCAL) => readListenOptions(line.split(' ').filter(Boolean), env);

describe('readListenOptions', () => {
  test('listens to everything of the local demo by default', () => {
    expect(read('')).toEqual({
      events: EVENT_TYPES,
      template: undefined,
      forward: undefined,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
      json: false,
      baseUrl: 'http://localhost:8787',
      apiKey: 'pk_demo',
    });
    expect(read('').secret).not.toBe(read('').secret);
  });

  test('accepts events separated by commas or repeated, each once', () => {
    const events = ['pass_created', 'pass_voided'];
    expect(read('--events pass_created,pass_voided').events).toEqual(events);
    expect(read('--events pass_created --events=pass_voided,pass_created').events).toEqual(events);
  });

  test('accepts another service with its own key', () => {
    const options = read('--base-url https://passes.example.com/ --json', { ...LOCAL, API_KEY: 'pk_env' });
    expect(options).toMatchObject({ baseUrl: 'https://passes.example.com', apiKey: 'pk_env', json: true });
    expect(read('--api-key pk_given', { ...LOCAL, API_KEY: 'pk_env' }).apiKey).toBe('pk_given');
  });

  test('has help that names every event', () => {
    const help = commandHelp('listen', LISTEN);
    expect(EVENT_TYPES.filter((type) => !help.includes(type))).toEqual([]);
  });

  test.each([
    ['an unknown event', '--events pass_eaten', LOCAL, 'there is no event "pass_eaten". Use one of pass_created'],
    ['an empty list', '--events ,', LOCAL, 'there is no event ""'],
    ['a target that is no address', '--forward localhost:3000', LOCAL, 'not an http or https URL'],
    ['a secret of another form', '--secret s3cret', LOCAL, '--secret must be whsec_'],
    ['an unknown option', '--evnts pass_created', LOCAL, "Unknown option '--evnts'"],
    ['no service', '', AWAY, 'run npm start in another terminal first'],
    [
      'a service without a key, though the demo has one',
      '--base-url https://passes.example.com',
      LOCAL,
      'Give an API key',
    ],
    ['a service that is no address', '--base-url passes.example.com', LOCAL, 'not an http or https URL'],
  ])('reports what is wrong with %s', (_, line, env, words) => {
    expect(() => read(line, env)).toThrow(Problem);
    expect(() => read(line, env)).toThrow(words);
  });
});
