import { describe, expect, test } from 'vitest';
import { BACKUP } from '../../../scripts/cli/commands/backup.ts';
import { DEPLOY } from '../../../scripts/cli/commands/deploy.ts';
import { START } from '../../../scripts/cli/commands/start.ts';
import { meant, nearest } from '../../../scripts/cli/nearest.ts';
import { parseWords, withVariables } from '../../../scripts/cli/parse-words.ts';
import { shownPath, typed, typedPath } from '../../../scripts/cli/program.ts';
import { UsageProblem } from '../../../scripts/settings.ts';

describe('nearest', () => {
  const known = ['start', 'status', 'demo', 'deploy', 'admin', 'listen'];

  test.each([
    ['strat', 'start'],
    ['dep', 'deploy'],
    ['dmeo', 'demo'],
    ['lisen', 'listen'],
    ['statsu', 'status'],
  ])('%s means %s', (word, meaning) => {
    expect(nearest(word, known)).toBe(meaning);
    expect(meant(word, known)).toBe(` Did you mean ${meaning}?`);
  });

  test.each(['x', 'restore', 'st', ''])('"%s" is near nothing, or several words', (word) => {
    expect(nearest(word, known)).toBeUndefined();
    expect(meant(word, known)).toBe('');
  });
});

describe('parseWords', () => {
  const read = (line: string) => parseWords(START, line.split(' ').filter(Boolean));

  test('reads options by their declaration', () => {
    expect(read('--port 9000 --log').values).toEqual({ port: '9000', log: true });
    expect(parseWords(BACKUP, ['--to=x', '--remote']).values).toEqual({ to: 'x', remote: true });
  });

  test.each([
    ['--prot 9000', "Unknown option '--prot'. Did you mean --port?"],
    ['--colour', "Unknown option '--colour'."],
    ['-x', "Unknown option '-x'."],
    ['--port', '--port needs a value.'],
    ['--port --log', '--port needs a value.'],
    ['--log=yes', '--log takes no value.'],
    ['9000', 'Unexpected word "9000": it takes options only.'],
  ])('rejects "%s" in a sentence', (line, sentence) => {
    expect(() => read(line)).toThrow(new UsageProblem(sentence));
  });

  test('rejects an invalid value of an option', () => {
    expect(parseWords(DEPLOY, ['--location', 'weur']).values).toEqual({ location: 'weur' });
    expect(() => parseWords(DEPLOY, ['--location', 'wuer'])).toThrow(
      /^--location must be one of wnam, .*Did you mean weur\?$/,
    );
  });

  test('an option takes precedence over its variable', () => {
    const { values } = read('--port 9000 --log');
    expect(withVariables(START, values, { PORT: '1', HOST: '0.0.0.0' })).toEqual({
      PORT: '9000',
      HOST: '0.0.0.0',
      LOG: '1',
    });
  });
});

describe('paths and commands', () => {
  const there = { PASS_WALLET_FOLDER: '/srv/shop' };

  test('are relative to the folder in which the command was typed', () => {
    expect(typedPath('backup', there)).toBe('/srv/shop/backup');
    expect(typedPath('/var/backup', there)).toBe('/var/backup');
    expect(shownPath('/srv/shop/backup', there)).toBe('backup');
    expect(shownPath('/var/backup', there)).toBe('/var/backup');
    expect(typedPath('backup', {})).toBe('backup');
  });

  test('are shown as the person types them', () => {
    expect(typed('demo', 'seasonTicket', there)).toBe('pass-wallet demo seasonTicket');
    expect(typed('start', '', { ...there, npm_command: 'exec' })).toBe('npx pass-wallet start');
    expect(typed('start', '', {})).toBe('npm start');
    expect(typed('demo', 'seasonTicket', {})).toBe('npm run demo -- seasonTicket');
    expect(typed('admin', 'status', {})).toBe('npm run -s admin -- status');
  });
});
