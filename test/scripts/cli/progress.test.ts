import { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { endProgress, Progress } from '../../../scripts/cli/progress.ts';

afterEach(() => {
  endProgress();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function screenOf(options: { isTTY?: boolean; columns?: number } = {}) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  // The value of a common terminal, wherever the tests run: Node treats a build server's as colorless.
  const getColorDepth = () =>
    WriteStream.prototype.getColorDepth({ TERM: 'xterm-256color', NO_COLOR: process.env.NO_COLOR });
  return { written, screen: Object.assign(stream, { ...options, getColorDepth }) };
}

describe('on a terminal', () => {
  test('redraws one line, with the steps and their progress', () => {
    const { written, screen } = screenOf({ isTTY: true, columns: 80 });
    const progress = new Progress(4, screen);
    progress.step('Copying tables');
    progress.step('Copying files');
    progress.at(1, 2, 'a.png');
    expect(written.every((text) => text.startsWith('\r\u001b[2K') && !text.includes('\n'))).toBe(true);
    expect(written.map(stripVTControlCharacters)).toEqual([
      '\r░░░░░░░░░░░░░░░░░░░░ 1/4 Copying tables',
      '\r█████░░░░░░░░░░░░░░░ 2/4 Copying files',
      '\r████████░░░░░░░░░░░░ 2/4 Copying files: a.png',
    ]);
  });

  test('fits the terminal’s width; an unknown width counts as 80', () => {
    for (const [columns, shown] of [
      [30, 29],
      [0, 79],
    ] as const) {
      const { written, screen } = screenOf({ isTTY: true, columns });
      new Progress(1, screen).step('x'.repeat(200));
      expect(stripVTControlCharacters(written[0]!).trim()).toHaveLength(shown);
    }
  });

  test('shows the duration of a long step, and no estimate', () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const { written, screen } = screenOf({ isTTY: true });
    new Progress(2, screen).step('Deploying');
    vi.advanceTimersByTime(5_000);
    expect(written[0]).not.toContain(' s)');
    expect(written.at(-1)).toContain('Deploying (5 s)');
  });

  test('prints other lines above it, and leaves nothing at its end', () => {
    const { written, screen } = screenOf({ isTTY: true });
    const progress = new Progress(1, screen);
    progress.step('Deploying');
    progress.say('Creating the queue …');
    expect(written[1]).toBe('\r\u001b[2KCreating the queue …\n');
    expect(written[2]).toContain('Deploying');
    endProgress();
    expect(written.at(-1)).toBe('\r\u001b[2K');
    const { length } = written;
    progress.end();
    expect(written).toHaveLength(length);
  });
});

test('elsewhere, each step is a plain line, whatever NO_COLOR and FORCE_COLOR say', () => {
  vi.stubEnv('FORCE_COLOR', '1');
  const { written, screen } = screenOf();
  const progress = new Progress(2, screen);
  progress.step('Copying tables');
  progress.at(1, 2, 'passes');
  progress.say('Half of it.');
  progress.step('Copying files');
  progress.end();
  expect(written).toEqual(['Copying tables …\n', 'Half of it.\n', 'Copying files …\n']);
});

describe('colors', () => {
  test.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
  ])('on %j with %j: %j', (options, env, isColored) => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { written, screen } = screenOf(options);
    new Progress(1, screen).step('Deploying');
    expect(written[0]!.includes('\u001b[36m')).toBe(isColored);
  });

  test('with --json: none', () => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', '1');
    const before = process.argv;
    process.argv = [...before, '--json'];
    const { written, screen } = screenOf({ isTTY: true });
    new Progress(1, screen).step('Deploying');
    process.argv = before;
    expect(written[0]).not.toContain('\u001b[36m');
  });
});
