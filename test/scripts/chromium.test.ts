import { describe, expect, test } from 'vitest';
import { findChromium, findHeadlessShell, type Machine } from '../../scripts/chromium.ts';

const CHROME_ON_MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const CHROME_ON_WINDOWS = 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe';

function machine(platform: NodeJS.Platform, files: string[], env: NodeJS.ProcessEnv = {}): Machine {
  return { platform, env, home: '/u/ada', exists: (path) => files.includes(path) };
}

describe('the browser for the tests', () => {
  test.each([
    ['Debian', machine('linux', ['/usr/bin/chromium']), '/usr/bin/chromium'],
    ['Ubuntu', machine('linux', ['/snap/bin/chromium']), '/snap/bin/chromium'],
    [
      'a PATH of one’s own',
      machine('linux', ['/opt/b/google-chrome'], { PATH: '/opt/a:/opt/b' }),
      '/opt/b/google-chrome',
    ],
    ['macOS', machine('darwin', [CHROME_ON_MAC]), CHROME_ON_MAC],
    ['a user’s folder on macOS', machine('darwin', [`/u/ada${CHROME_ON_MAC}`]), `/u/ada${CHROME_ON_MAC}`],
    ['Windows', machine('win32', [CHROME_ON_WINDOWS], { PROGRAMFILES: 'C:\\Program Files' }), CHROME_ON_WINDOWS],
  ] as const)('is found on %s', (_, where, path) => {
    expect(findChromium(where)).toBe(path);
  });

  test('is the one in CHROMIUM_PATH, and no other instead', () => {
    const files = ['/usr/bin/chromium', '/opt/mine'];
    expect(findChromium(machine('linux', files, { CHROMIUM_PATH: '/opt/mine' }))).toBe('/opt/mine');
    expect(findChromium(machine('linux', files, { CHROMIUM_PATH: '/opt/gone' }))).toBeUndefined();
  });

  test('is missing if none is installed', () => {
    expect(findChromium(machine('linux', []))).toBeUndefined();
  });

  test('may be a headless shell, unless CHROMIUM_PATH is set', () => {
    const files = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'];
    const both = machine('linux', files);
    expect([findChromium(both), findHeadlessShell(both)]).toEqual(files);
    expect(findHeadlessShell(machine('linux', ['/usr/bin/chromium']))).toBeUndefined();
    const named = machine('linux', files, { CHROMIUM_PATH: '/usr/bin/chromium' });
    expect(findHeadlessShell(named)).toBeUndefined();
  });
});
