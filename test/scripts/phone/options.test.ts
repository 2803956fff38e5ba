import { describe, expect, test } from 'vitest';
import { readPhoneOptions } from '../../../scripts/phone/options.ts';

const read = (line: string) => readPhoneOptions(line.split(' ').filter(Boolean));

describe('readPhoneOptions', () => {
  test('reads a link with all options', () => {
    expect(read('https://passes.example/p/a --pin 4711 --language pt-BR --once --wait 1.5 --keep --json')).toEqual({
      link: 'https://passes.example/p/a',
      pin: '4711',
      language: 'pt-BR',
      once: true,
      waitMs: 1_500,
      keep: true,
      json: true,
    });
  });

  test('reads the name of a demo template instead of a link', () => {
    expect(read('transitTicket --once')).toMatchObject({ link: undefined, template: 'transitTicket', once: true });
  });

  test('needs nothing', () => {
    expect(read('')).toEqual({
      link: undefined,
      pin: undefined,
      language: 'en',
      once: false,
      keep: false,
      json: false,
      waitMs: undefined,
    });
  });

  test.each([
    ['a b', 'Give one link.'],
    ['ftp://passes.example', '"ftp://passes.example" is not a link.'],
    ['--language no_such', '--language must be a language such as de or pt-BR, not "no_such".'],
    ['--once --wait 0', '--wait must be a number of seconds, not "0".'],
    ['--wait 5', '--wait goes with --once.'],
    ['--colour', "Unknown option '--colour'."],
  ])('rejects "%s"', (line, sentence) => {
    expect(() => read(line)).toThrow(sentence);
  });
});
