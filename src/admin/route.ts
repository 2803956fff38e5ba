import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import { checked } from '../domain/check.ts';
import type { Actor, Context } from '../domain/context.ts';
import { DomainError, ERROR_STATUS, invalid, invalidField } from '../domain/errors.ts';
import { BULK_BODY_BYTES_MAX } from '../domain/limits.ts';
import { serviceTime } from '../platform/clock.ts';
import { constantTimeEqual, sha256 } from '../platform/crypto.ts';
import type { Env } from '../platform/env.ts';
import { timeOf } from '../platform/ids.ts';
import { isLocalRequest } from '../platform/local-request.ts';
import { describeError, logLine } from '../platform/log.ts';
import { ADMIN_COMMANDS } from './commands.ts';

/** Hono's types here. The app sets `baseContext` before a request reaches this entry. */
interface AdminEnv {
  Bindings: Env;
  Variables: { baseContext: Context };
}

const CommandBody = z.object({
  command: z.string(),
  options: z.record(z.string(), z.unknown()).default({}),
  /** A UUID v7 from the time the command was first issued. The IDs of what it creates derive from it. */
  repeatKey: z.uuid().optional(),
  /** Whether an earlier request with this key may have run the command. */
  isRepeat: z.boolean().default(false),
});
type CommandBody = z.output<typeof CommandBody>;

/** How long a command can be repeated. What it creates has the time of the first request. */
const REPEATABLE_MS = 24 * 60 * 60_000;

async function repeatableOf({ command, options, repeatKey, isRepeat }: CommandBody) {
  if (repeatKey === undefined) return undefined;
  const since = serviceTime(timeOf(repeatKey));
  if (Math.abs(Date.now() - since) > REPEATABLE_MS) throw invalidField('repeat', 'must be a key of the last 24 hours');
  return { seed: await sha256(JSON.stringify([repeatKey, command, options])), since, isRepeat };
}

/** The actor of all commands. They run on the operator's own machine, where nobody signs in. */
const OPERATOR: Actor = { type: 'operator', id: null, name: 'operator' };

/** Options that identify a row, for the "Not found" message. */
const NAMING_OPTIONS = ['account', 'id', 'email'];

/**
 * The administration entry, mounted at `/admin`: `POST /commands` with a `CommandBody` and
 * `Authorization: Bearer <ADMIN_TOKEN>`. It answers only local requests while ADMIN_TOKEN is set, by local scripts and
 * never by a deployment; otherwise with a 404. Errors are `{error}`.
 */
export const admin = new Hono<AdminEnv>();

admin.post('/commands', async (c, next) => {
  const token = c.env.ADMIN_TOKEN;
  if (!token || !isLocalRequest(c.req.raw)) return c.notFound();
  if (!constantTimeEqual(c.req.header('Authorization') ?? '', `Bearer ${token}`)) {
    return c.json({ error: 'The administration token is missing or wrong' }, 401);
  }
  return next();
});

const tooLarge = bodyLimit({
  maxSize: BULK_BODY_BYTES_MAX,
  onError: (c) => c.json({ error: `The body is larger than ${BULK_BODY_BYTES_MAX} bytes` }, 413),
});

admin.post('/commands', tooLarge, async (c) => {
  const body = checked(CommandBody, await c.req.json());
  const { command, options } = body;
  const known = Object.hasOwn(ADMIN_COMMANDS, command) ? ADMIN_COMMANDS[command] : undefined;
  if (!known) {
    throw invalid(`Unknown command "${command}"; use one of: ${Object.keys(ADMIN_COMMANDS).join(', ')}`);
  }
  try {
    const ctx = { ...c.var.baseContext, actor: OPERATOR, repeatable: await repeatableOf(body) };
    return c.json((await known.run(ctx, options)) as object);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') throw namedNotFound(options);
    throw error;
  }
});

admin.onError((error, c) => {
  if (error instanceof DomainError) return c.json({ error: error.message }, ERROR_STATUS[error.kind]);
  if (error instanceof SyntaxError) return c.json({ error: 'The body is not JSON' }, 400);
  logLine('error', {
    event: 'error',
    requestId: c.var.baseContext.requestId,
    route: c.req.path,
    error: describeError(error),
  });
  return c.json({ error: 'The command failed; see the log of the service' }, 500);
});

function namedNotFound(options: Record<string, unknown>): DomainError {
  const named = NAMING_OPTIONS.filter((name) => name in options).map((name) => `--${name} ${options[name]}`);
  return new DomainError('not_found', `Not found: ${named.join(', ')}`);
}
