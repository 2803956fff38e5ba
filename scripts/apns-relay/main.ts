import { APNS_RELAY } from '../cli/commands/apns-relay.ts';
import { readCommandLine } from '../cli/parse-words.ts';
import { Problem, runMain } from '../settings.ts';
import { whenStopRequested } from '../stop-request.ts';
import { tryProviderKey } from './credentials.ts';
import { readRelayOptions } from './options.ts';
import { startRelay } from './relay.ts';

/*
 * npm run apns-relay: runs beside a deployed service, because Workers don't reliably support HTTP/2 with client
 * certificates. Writes one JSON line per request to standard output, without push tokens.
 */

const DAY_MS = 24 * 60 * 60_000;
const WARN_DAYS = 30;

const write = (fields: Record<string, unknown>) =>
  console.log(JSON.stringify({ at: new Date().toISOString(), ...fields }));

await runMain(async () => {
  await readCommandLine('apns-relay', APNS_RELAY);
  const options = readRelayOptions(process.argv.slice(2), process.env);
  const { certificates, providerKey } = options.credentials;
  if (providerKey) await tryProviderKey(providerKey);
  const stopRequested = whenStopRequested();
  const relay = await startRelay({ ...options, log: write }).catch((error: NodeJS.ErrnoException) => {
    throw new Problem(
      `The relay cannot listen on ${options.host}, port ${options.port} (${error.code ?? error.message}).`,
    );
  });
  write({ level: 'info', event: 'started', origin: relay.origin, apns: options.apnsOrigin });
  for (const { topic, validTo } of certificates) {
    const days = Math.floor((validTo - Date.now()) / DAY_MS);
    write({ level: days < WARN_DAYS ? 'error' : 'info', event: 'certificate', topic, expiresInDays: days });
  }
  await stopRequested;
  write({ level: 'info', event: 'stopping' });
  await relay.close();
});
process.exit();
