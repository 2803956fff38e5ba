import { describe, expect, test } from 'vitest';
import { Problem, ROOT, readSettings } from '../../scripts/settings.ts';

describe('readSettings', () => {
  test('serves this machine on port 8787 from .wrangler/state by default', () => {
    expect(readSettings({})).toEqual({
      port: 8787,
      host: '127.0.0.1',
      origin: 'http://127.0.0.1:8787',
      baseUrl: 'http://localhost:8787',
      stateDir: `${ROOT}/.wrangler/state`,
      localDir: `${ROOT}/.local`,
    });
  });

  test('follows PORT, HOST, STATE_DIR and BASE_URL', () => {
    const settings = readSettings({
      PORT: '9000',
      HOST: '192.0.2.7',
      STATE_DIR: '/var/state',
      BASE_URL: 'https://a.example/',
    });
    expect(settings).toMatchObject({
      port: 9000,
      host: '192.0.2.7',
      origin: 'http://127.0.0.1:9000',
      baseUrl: 'https://a.example',
      stateDir: '/var/state',
    });
  });

  test('uses the address that it listens on in links', () => {
    expect(readSettings({ HOST: '192.0.2.7' }).baseUrl).toBe('http://192.0.2.7:8787');
    expect(readSettings({ HOST: 'fd00::20' }).baseUrl).toBe('http://[fd00::20]:8787');
    expect(readSettings({ HOST: 'localhost' })).toEqual(readSettings({}));
  });

  test('calls a service that listens everywhere at localhost', () => {
    const settings = readSettings({ HOST: '0.0.0.0' });
    expect(settings).toMatchObject({
      host: '0.0.0.0',
      origin: 'http://127.0.0.1:8787',
      baseUrl: 'http://localhost:8787',
    });
  });

  test.each(['abc', '0', '65536', '80.5', '-1'])('rejects port %s', (PORT) => {
    expect(() => readSettings({ PORT })).toThrow(new Problem(`PORT must be a number from 1 to 65535, not "${PORT}".`));
  });
});
