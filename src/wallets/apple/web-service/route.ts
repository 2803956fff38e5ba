import { Hono, type Context as HonoContext } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import * as z from 'zod';
import { checked } from '../../../domain/check.ts';
import type { Context } from '../../../domain/context.ts';
import { DomainError, ERROR_STATUS, invalid, invalidField, notFound } from '../../../domain/errors.ts';
import { noteDownload } from '../../../domain/pass-facts/asked-devices.ts';
import { encodeFact } from '../../../domain/pass-facts/facts.ts';
import { findPublicPassById, type PublicPass } from '../../../domain/passes/page/find-page.ts';
import { isAuthentication } from '../../../domain/passes/page/links.ts';
import { callerNetwork, enforceRateLimit, type RateLimitName } from '../../../domain/rate-limits.ts';
import { unregisterDevice } from '../../../domain/registrations/end-registrations.ts';
import type { DeviceLibrary, DevicePass } from '../../../domain/registrations/find-device-pass.ts';
import { listChangedPasses } from '../../../domain/registrations/list-changed-passes.ts';
import { registerDevice } from '../../../domain/registrations/register-device.ts';
import { versionNumber } from '../../../domain/versions.ts';
import type { Env } from '../../../platform/env.ts';
import { isUuid, UUID_PATTERN } from '../../../platform/ids.ts';
import { describeError, logLine, withoutSecrets } from '../../../platform/log.ts';
import { webServicePath } from '../pass-file-cache.ts';
import { passFileReply } from '../pass-file-reply.ts';

interface WebServiceEnv {
  Bindings: Env;
  Variables: { baseContext: Context; route: string };
}

type C = HonoContext<WebServiceEnv>;

/** Patterns of identifiers in URLs. They are opaque to us, because Apple documents no format. */
const DEVICE_PATTERN = /^[\w.:-]{1,128}$/;
const PASS_TYPE_PATTERN = /^pass\.[A-Za-z0-9.-]{1,250}$/;

const RegistrationBody = z.object({ pushToken: z.string().regex(/^[\w.:-]{1,256}$/, 'is not a push token') });
const REGISTRATION_BYTES_MAX = 4 * 1024;

const LogBody = z.object({ logs: z.array(z.string()) });
const LOG_BYTES_MAX = 16 * 1024;

const LIBRARY = '/v1/devices/:device/registrations/:passType';

/**
 * The web service for pass updates that Apple documents ("Adding a Web Service to Update Passes"). Listing passes needs
 * no token, because the device identifier is the secret. Anyone can send logs.
 */
export const webServiceRoutes = new Hono<WebServiceEnv>()
  .post(`${LIBRARY}/:serial`, limitBody(REGISTRATION_BYTES_MAX), async (c) => {
    const device = namedPass(c);
    const { pushToken } = checked(RegistrationBody, await readJson(c));
    const network = callerNetwork(c.req.raw, c.env);
    await enforceRateLimit(c.env, 'wallet', network);
    const registered = await registerDevice(c.var.baseContext, device, { token: tokenOf(c), pushToken, network });
    return c.body(null, registered === 'new' ? 201 : 200);
  })
  .delete(`${LIBRARY}/:serial`, async (c) => {
    await limit(c, 'wallet');
    await unregisterDevice(c.var.baseContext, namedPass(c), tokenOf(c));
    return c.body(null, 200);
  })
  .get(LIBRARY, async (c) => {
    const library = namedLibrary(c);
    await limit(c, 'wallet');
    await enforceRateLimit(c.env, 'device-list', library.deviceId);
    const of = { ...library, shard: Number(c.req.param('shard') ?? 0) };
    const changed = await listChangedPasses(c.var.baseContext, of, c.req.query('passesUpdatedSince'));
    c.header('Cache-Control', 'no-store');
    return changed ? c.json(changed) : c.body(null, 204);
  })
  .get('/v1/passes/:passType/:serial', async (c) => {
    c.set('route', routePath(c));
    const { serial, passType } = c.req.param();
    const token = tokenOf(c);
    await limit(c, 'wallet-file');
    const shown = UUID_PATTERN.test(serial) ? await findPublicPassById(c.var.baseContext, serial) : undefined;
    if (!shown) throw notFound();
    if (!isAuthentication(shown.ctx.env, shown.pass, token)) throw unauthorized();
    // A device refuses a pass that is signed with another certificate, because it would be another pass.
    if (shown.certificate?.passTypeId !== passType) throw notFound();
    const reply = await passFileReply(shown, c.req.raw, { isForOne: shown.pass.numberOfActive <= 1 });
    noteFileSent(shown, reply.status === 304);
    return reply;
  })
  .post('/v1/log', limitBody(LOG_BYTES_MAX), async (c) => {
    c.set('route', routePath(c));
    await limit(c, 'device-log');
    logDeviceMessages(c.var.baseContext.requestId, checked(LogBody, await readJson(c)).logs);
    return c.body(null, 200);
  });

/** The mount paths: one for the first shard, one for the others. */
export const WEB_SERVICE_PATHS = [webServicePath(0), '/wallet/apple/:shard{[0-9]+}'];

webServiceRoutes.onError((error, c) => {
  const status = error instanceof DomainError ? ERROR_STATUS[error.kind] : undefined;
  if (status === 401) c.header('WWW-Authenticate', 'ApplePass');
  if (status) return c.text(error.message, status);
  const { requestId } = c.var.baseContext;
  logLine('error', { event: 'error', requestId, route: c.var.route, error: describeError(error) });
  return c.text(`Internal server error (request ${requestId})`, 500);
});

/** Records for the timeline which version the device has now. A file request doesn't identify the device. */
function noteFileSent({ ctx, card }: PublicPass, isKnown: boolean): void {
  const { id: passId, passVersion: version } = card;
  const templateVersion = versionNumber(card.templateVersion);
  const fact = encodeFact({ type: 'file_downloaded', at: Date.now(), version, templateVersion, isKnown });
  noteDownload(ctx, ctx.account.id, { passId, fact });
}

function namedLibrary(c: C): DeviceLibrary {
  c.set('route', routePath(c));
  const [deviceId, passTypeId] = [c.req.param('device') ?? '', c.req.param('passType') ?? ''];
  if (!DEVICE_PATTERN.test(deviceId)) throw invalidField('deviceLibraryIdentifier', 'is not one');
  if (!PASS_TYPE_PATTERN.test(passTypeId)) throw invalidField('passTypeIdentifier', 'is not one');
  return { deviceId, passTypeId };
}

function namedPass(c: C): DevicePass {
  const library = namedLibrary(c);
  const passId = c.req.param('serial') ?? '';
  if (!UUID_PATTERN.test(passId)) throw notFound();
  return { ...library, passId };
}

/** Returns the token after `ApplePass` in the header. Throws `unauthorized` for any other header or none. */
function tokenOf(c: C): string {
  const [, token] = /^ApplePass +(\S+)$/.exec(c.req.header('Authorization') ?? '') ?? [];
  if (!token) throw unauthorized();
  return token;
}

function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'The authentication token does not belong to the pass');
}

function limit(c: C, name: RateLimitName): Promise<void> {
  return enforceRateLimit(c.env, name, callerNetwork(c.req.raw, c.env));
}

function limitBody(bytesMax: number) {
  return bodyLimit({
    maxSize: bytesMax,
    onError: () => {
      throw new DomainError('too_large', `The request body is larger than ${bytesMax} bytes`);
    },
  });
}

async function readJson(c: C): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text());
  } catch {
    throw invalid('The request body is not valid JSON');
  }
}

/** Messages to keep of one request. Devices send a few at a time. */
const MESSAGES_MAX = 20;
const MESSAGE_CHARS_MAX = 500;

/** Device identifiers, push tokens and the tokens of passes and pages are secrets, which must not be logged. */
const LONG_WORDS = /[\w-]{22,}/g;
/** Names of errors, such as `NSLocalizedDescriptionKey`. */
const APPLE_NAME = /^(NS|PK)[A-Za-z]+$/;

/** Logs what devices report for operators, for example what they rejected in our responses. */
function logDeviceMessages(requestId: string, messages: string[]): void {
  for (const message of messages.slice(0, MESSAGES_MAX)) {
    const text = withoutSecrets(message).replace(LONG_WORDS, shown).slice(0, MESSAGE_CHARS_MAX);
    logLine('info', { event: 'device-message', requestId, message: text });
  }
}

/** Keeps serial numbers, because they give no access. */
function shown(word: string): string {
  return isUuid(word) || APPLE_NAME.test(word) ? word : '…';
}
