import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import * as z from 'zod';
import { isLinkProof, LINK_PROOF_HOURS, proveLink } from '../../domain/app-configurations/link-secrets.ts';
import { unlockLink } from '../../domain/app-configurations/links.ts';
import { type LinkWithKeys, type OpenedLink, openLinkWithKeys } from '../../domain/app-configurations/open-link.ts';
import { openLinkForScan, scanByLink } from '../../domain/app-scans/create-scan.ts';
import { recentScans } from '../../domain/app-scans/recent-scans.ts';
import type { NewScan } from '../../domain/app-scans/scan-plan.ts';
import { undoScan } from '../../domain/app-scans/undo-scan.ts';
import { invalidInput } from '../../domain/check.ts';
import {
  DomainError,
  ERROR_STATUS,
  type ErrorKind,
  fieldIssue,
  invalid,
  notFound,
  tooManyRequests,
} from '../../domain/errors.ts';
import { TEXT_CHARS_MAX } from '../../domain/limits.ts';
import { attempt } from '../../domain/rate-limits.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { keepCookie, readCookie } from '../cookies.ts';
import type { PageEnv } from '../page-env.ts';
import { limitCodes, limitScanner, lockedSeconds, networkOf, openLimited } from './limits.ts';
import { type ScannerFailure, type ScannerScan, SUSPENDED_STATUS } from './protocol.ts';
import { lockedScanner, openScanner, scannerOutcome, scannerRecentScan } from './scanner-view.ts';
import { manifestReply, messageReply, pageReply, SERVICE_WORKER_PATH, serviceWorkerReply } from './show-scanner.tsx';

type PageContext = Context<PageEnv>;

/** Enough for a scan with its properties. */
const BODY_BYTES_MAX = 64 * 1024;

/** Logs the route pattern in place of the path, which contains the link's secret. */
const named: MiddlewareHandler<PageEnv> = (c, next) => {
  c.set('route', routePath(c, -1));
  return next();
};

/**
 * Requests that change something must be JSON from this service's pages. Forms can't send JSON, and browsers send the
 * origin of such requests.
 */
const ownJson: MiddlewareHandler<PageEnv> = (c, next) => {
  if (!/^application\/json\b/i.test(c.req.header('Content-Type') ?? '')) {
    throw new DomainError('unsupported_media_type', fieldIssue('Content-Type', 'must be application/json'));
  }
  const own = [new URL(c.req.url).origin, new URL(c.var.ctx.baseUrl).origin];
  if (!own.includes(c.req.header('Origin') ?? '')) {
    throw new DomainError('unauthorized', fieldIssue('Origin', 'must be the origin of this service'));
  }
  return next();
};

const limited = bodyLimit({
  maxSize: BODY_BYTES_MAX,
  onError: () => {
    throw new DomainError('too_large', `The request body is larger than ${BODY_BYTES_MAX} bytes`);
  },
});

/** Content below a link is secret and must not be cached. */
const careful: MiddlewareHandler<PageEnv> = async (c, next) => {
  await next();
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('Referrer-Policy', 'no-referrer');
};

/** Routes of the scanner app at the link of an app configuration. GET requests change nothing. */
export const scannerRoutes = new Hono<PageEnv>()
  .use('/scan/*', careful, limitScanner)
  .get(SERVICE_WORKER_PATH, named, (c) => serviceWorkerReply(c))
  .get('/scan/:token', named, async (c) => {
    const opened = await openLimited(c, (token) => openLinkWithKeys(c.var.ctx, token));
    if (!opened) return messageReply(c, 'gone');
    return pageReply(c, mayUse(c, opened) ? await openScanner(opened) : lockedScanner(opened));
  })
  .get('/scan/:token/manifest.webmanifest', named, async (c) => manifestReply(c, await known(c)))
  .get('/scan/:token/configuration', named, async (c) => {
    const opened = await known(c);
    return c.json(mayUse(c, opened) ? await openScanner(opened) : lockedScanner(opened));
  })
  .post('/scan/:token/unlock', named, ownJson, limited, async (c) => {
    const opened = await known(c);
    const pin = readPin(await readJson(c));
    const enter = () => unlockLink(opened.ctx, opened.link, pin);
    const tried = await attempt(c.env, 'guess', networkOf(c), enter, (outcome) => outcome === 'right');
    if (tried === 'locked') throw tooManyRequests('Too many wrong PINs', lockedSeconds(opened));
    if (tried === 'wrong') throw new DomainError('forbidden', 'The PIN is wrong');
    keepLinkProof(c, opened);
    return c.json(await openScanner(opened));
  })
  .get('/scan/:token/scans', named, async (c) => {
    const scans = await recentScans(await usable(c));
    return c.json(scans.map(scannerRecentScan));
  })
  .post('/scan/:token/scans', named, ownJson, limited, async (c) => {
    const scan = readScan(await readJson(c));
    const opened = await openLimited(c, (token) => openLinkForScan(c.var.ctx, token, scan));
    if (!opened) throw notFound();
    requireUse(c, opened);
    await limitCodes(c, opened);
    return c.json(scannerOutcome(opened.ctx, await scanByLink(opened, scan)), 201);
  })
  .post('/scan/:token/scans/:id/undo', named, ownJson, limited, async (c) => {
    const id = c.req.param('id');
    const opened = await usable(c);
    if (!UUID_PATTERN.test(id)) throw notFound();
    await undoScan(opened, id);
    return c.json({});
  });

scannerRoutes.onError((error, c) => {
  const status = statusOf(error);
  if (status === 500) {
    const { requestId } = c.var.ctx;
    logLine('error', { event: 'error', requestId, route: c.var.route, error: describeError(error) });
  }
  if (c.req.method === 'GET' && c.req.header('Accept')?.includes('text/html')) {
    return messageReply(c, messageOf(status));
  }
  const text = error instanceof DomainError ? error.message : 'Something went wrong';
  return c.json({ error: text } satisfies ScannerFailure, status);
});

/** Returns the JSON body. Only a malformed body is the sender's fault: a 400 makes the app give up on the scan. */
async function readJson(c: PageContext): Promise<unknown> {
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body is not JSON');
  }
}

/** Returns the link of the path, with the requested configuration. */
async function known(c: PageContext): Promise<LinkWithKeys> {
  const wanted = c.req.query('configurationId');
  const opened = await openLimited(c, (token) => openLinkWithKeys(c.var.ctx, token, wanted || undefined));
  if (!opened) throw notFound();
  return opened;
}

/** Like `known`, but requires that the app can be used. */
async function usable(c: PageContext): Promise<OpenedLink> {
  const opened = await known(c);
  requireUse(c, opened);
  return opened;
}

function requireUse(c: PageContext, opened: OpenedLink): void {
  if (!mayUse(c, opened)) throw new DomainError('forbidden', 'The link has expired. Enter its PIN to continue');
}

type FailureStatus = (typeof ERROR_STATUS)[ErrorKind] | typeof SUSPENDED_STATUS | 500;

function messageOf(status: FailureStatus) {
  if (status === 404) return 'gone';
  if (status === 429) return 'tooMany';
  return status === SUSPENDED_STATUS ? 'suspended' : 'error';
}

function statusOf(error: unknown): FailureStatus {
  if (!(error instanceof DomainError)) return 500;
  return error.kind === 'suspended' ? SUSPENDED_STATUS : ERROR_STATUS[error.kind];
}

const nameFor = ({ link }: OpenedLink) => `gate-${link.id}`;

/** Stores a proof of the link's correct PIN in the browser. */
function keepLinkProof(c: Context<PageEnv>, opened: OpenedLink): void {
  keepCookie(c, nameFor(opened), proveLink(opened.ctx, opened.link), LINK_PROOF_HOURS * 60 * 60);
}

/** Returns whether the app can be used: the link is still valid, or the browser has a valid proof. */
function mayUse(c: Context<PageEnv>, opened: OpenedLink): boolean {
  return !opened.isExpired || isLinkProof(opened.ctx, opened.link, readCookie(c, nameFor(opened)));
}

const DEVICE_CHARS_MAX = 100;

const Uuid = z.string().regex(UUID_PATTERN, 'must be a UUID');

const SentScan = z.object({
  id: Uuid,
  configurationId: Uuid,
  value: z.string().min(1, 'must not be empty').max(TEXT_CHARS_MAX),
  scannedAt: z.int().min(0),
  deviceName: z.string().max(DEVICE_CHARS_MAX).nullable(),
  properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  storedValue: z.number().nullable(),
}) satisfies z.ZodType<ScannerScan>;

const SentPin = z.object({ pin: z.string().max(DEVICE_CHARS_MAX) });

/** Parses a scan from the app. Throws `invalid` with an issue per invalid field. */
function readScan(body: unknown): Omit<NewScan, 'link'> & { barcode: string; clientId: string } {
  const { id, configurationId, value, scannedAt, deviceName, properties, storedValue } = parse(SentScan, body);
  return {
    clientId: id,
    configurationId,
    barcode: value,
    createdAt: scannedAt,
    deviceName: deviceName ?? undefined,
    additionalProperties: properties,
    storedValue: storedValue ?? undefined,
  };
}

const readPin = (body: unknown): string => parse(SentPin, body).pin;

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues);
}
