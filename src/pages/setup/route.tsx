import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { DomainError, type Issue } from '../../domain/errors.ts';
import { attempt, callerNetwork, enforceRateLimit } from '../../domain/rate-limits.ts';
import { publicOrigin } from '../../domain/service-settings/change-address.ts';
import {
  canBeSetUp,
  SETUP_TOKEN_CHARS_MIN,
  type SetUpObstacle,
  setUpObstacle,
  setUpService,
} from '../../domain/setup/set-up-service.ts';
import { isTimeZone } from '../../platform/dates.ts';
import type { Env } from '../../platform/env.ts';
import type { ConsoleEnv } from '../console/console-env.ts';
import { ConsoleLayout } from '../console/console-layout.tsx';
import { TextField } from '../console/fields.tsx';
import { Notice, SubmitButton } from '../console/parts.tsx';
import { page, showError, textOf } from '../console/reply.tsx';
import { accountPath } from '../console/sections.ts';
import { TimeZoneField } from '../console/time-zones.tsx';
import { CodeBlock } from '../docs/code-block.tsx';
import { keepSession, visitOf } from '../session.ts';

/** Far more than the form's four fields need. */
const FORM_BYTES_MAX = 16 * 1024;

/**
 * `/setup`, where anyone with the SETUP_TOKEN of a deployment can create its first account. Once an account exists, the
 * address returns 404.
 */
export const setupRoutes = new Hono<ConsoleEnv>();

setupRoutes.onError(showError);
setupRoutes.use('/setup/*', async (c, next) => {
  c.set('route', '/setup');
  await enforceRateLimit(c.env, 'console', callerNetwork(c.req.raw, c.env));
  if (!(await canBeSetUp(c.var.ctx))) return c.notFound();
  const obstacle = setUpObstacle(c.env);
  if (obstacle) return page(c, <ObstaclePage obstacle={obstacle} />);
  // All links of the service will start with this address, including sign-in links in e-mails.
  const { protocol, host, origin } = new URL(c.req.url);
  if (publicOrigin(origin) === undefined)
    return protocol === 'http:' ? c.redirect(`https://${host}/setup`, 303) : c.notFound();
  return next();
});
setupRoutes.use('/setup/*', csrf(), bodyLimit({ maxSize: FORM_BYTES_MAX }));

setupRoutes.get('/setup', (c) => {
  const { cf } = c.req.raw as Request<unknown, IncomingRequestCfProperties>;
  const near = typeof cf?.timezone === 'string' && isTimeZone(cf.timezone) ? cf.timezone : 'UTC';
  return page(
    c,
    <SetUpPage origin={new URL(c.req.url).origin} sendsMail={sendsMail(c.env)} values={{ timezone: near }} />,
  );
});

setupRoutes.post('/setup', async (c) => {
  const form = await c.req.parseBody();
  const values = Object.fromEntries(['name', 'timezone', 'email'].map((name) => [name, textOf(form, name)]));
  const { origin } = new URL(c.req.url);
  const place = { origin, visit: visitOf(c) };
  const input = { ...values, token: textOf(form, 'token') } as Parameters<typeof setUpService>[1];
  const network = callerNetwork(c.req.raw, c.env);
  try {
    const done = await attempt(c.env, 'setup-token', network, () => setUpService(c.var.ctx, input, place));
    keepSession(c, done.session);
    return c.redirect(accountPath(done.accountId), 303);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.kind === 'not_found') return c.notFound();
    if (error.kind !== 'invalid') throw error;
    return page(
      c,
      <SetUpPage origin={origin} sendsMail={sendsMail(c.env)} values={values} issues={error.issues} />,
      400,
    );
  }
});

const sendsMail = ({ EMAIL, MAIL_FROM }: Env): boolean => Boolean(EMAIL && MAIL_FROM);

interface SetUpPageProps {
  /** Start of all links. */
  origin: string;
  /** Whether the service can send sign-in links by e-mail. */
  sendsMail: boolean;
  /** Submitted values. */
  values: { name?: string; timezone?: string; email?: string };
  issues?: Issue[];
}

function SetUpPage({ origin, sendsMail, values, issues = [] }: SetUpPageProps) {
  const errorOf = (name: string) => issues.find(({ path }) => path === name)?.message;
  return (
    <ConsoleLayout title="Set up">
      <h1>Set up your service</h1>
      <p class="lead">
        Create the first account and its owner. You are signed in afterwards.
        {!sendsMail && ' Then add a passkey under Profile, because this service can’t send sign-in links yet.'}
      </p>
      {issues.length > 0 && (
        <Notice tone="grave">
          <p>Nothing was created. Check the fields below.</p>
        </Notice>
      )}
      <form class="stack" method="post" action="/setup">
        <TextField
          name="token"
          label="Setup token"
          type="password"
          hint={
            <>
              The value of the secret <code>SETUP_TOKEN</code>. <code>npm run deploy</code> printed it, or you entered
              it when you deployed.
            </>
          }
          error={errorOf('token')}
          required
          more={{ autocomplete: 'off' }}
        />
        <TextField
          name="name"
          label="Account name"
          hint="Your organization or project. Members and operators see it."
          value={values.name}
          error={errorOf('name')}
          required
          more={{ autocomplete: 'organization' }}
        />
        <TimeZoneField
          hint="Used for dates and times in passes."
          value={values.timezone || 'UTC'}
          error={errorOf('timezone')}
        />
        <TextField
          name="email"
          label="Your e-mail address"
          type="email"
          hint="The service sends sign-in links and alerts to this address."
          value={values.email}
          error={errorOf('email')}
          required
          more={{ autocomplete: 'email' }}
        />
        <SubmitButton title="Create account" />
      </form>
      <p class="quiet">
        Links in passes and e-mails will start with <code>{origin}</code>. To use another domain, open this page there,
        or change the address later under Service.
      </p>
    </ConsoleLayout>
  );
}

const OBSTACLES: Record<SetUpObstacle, { title: string; text: string; command: string }> = {
  'no token': {
    title: 'Set a setup token first',
    text: 'This deployment has no SETUP_TOKEN. Only a person who knows it can create the first account.',
    command: 'openssl rand -hex 24 | tee /dev/stderr | npx wrangler secret put SETUP_TOKEN',
  },
  'short token': {
    title: 'Set a longer setup token',
    text: `The SETUP_TOKEN of this deployment is too easy to guess. It needs at least ${SETUP_TOKEN_CHARS_MIN} characters.`,
    command: 'openssl rand -hex 24 | tee /dev/stderr | npx wrangler secret put SETUP_TOKEN',
  },
  'no encryption key': {
    title: 'Set an encryption key first',
    text: 'ENCRYPTION_KEYS is missing or malformed. Links and private keys are encrypted with it. Keep a copy of it.',
    command: 'echo "1:$(openssl rand -base64 32)" | tee /dev/stderr | npx wrangler secret put ENCRYPTION_KEYS',
  },
};

/** Tells the operator what is missing for the setup. */
function ObstaclePage({ obstacle }: { obstacle: SetUpObstacle }) {
  const { title, text, command } = OBSTACLES[obstacle];
  return (
    <ConsoleLayout title="Set up">
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      <p>
        Run <code>npm run deploy</code>, which creates what is missing. Or set the secret yourself, in the dashboard or
        in a terminal, and reload this page.
      </p>
      <CodeBlock title="In a clone of the repository" code={command} />
    </ConsoleLayout>
  );
}
