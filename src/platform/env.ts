/** The Worker's bindings, variables and secrets, named as in `wrangler.toml` and docs/operations.md. */
export interface Env {
  /** The first database: the directory, and the home of shard 0. */
  DB: D1Database;
  /** Further databases, each the home of the shard with its number. */
  [further: `DB_${number}`]: D1Database | undefined;
  FILES: R2Bucket;
  /** Static assets for browsers, made by `scripts/build-clients.ts`. */
  ASSETS: Fetcher;
  IMAGES: ImagesBinding;
  /** One queue for each kind of work; `domain/jobs.ts` assigns jobs to queues. */
  JOBS: Queue;
  PUSHES: Queue;
  MESSAGES: Queue;
  IMPORTS: Queue;
  WEBHOOKS: Queue;
  /** Queue that starts the cron tasks in each database except the first. */
  TICKS: Queue;
  /**
   * Queue of messages that ran out of attempts. Only the platform sends to it; the binding makes sure that it is
   * created.
   */
  DEAD_LETTERS?: Queue;
  /** `BundleObject`, one for each bundle. */
  BUNDLES: DurableObjectNamespace;
  /** `ProcessObject`, one for each process. */
  PROCESSES: DurableObjectNamespace;
  /**
   * `ProcessStates` of the deployment, if an operator's Worker uses its database; absent: PROCESSES has the objects.
   */
  PROCESS_STATES?: unknown;
  /** `RequestCounterObject`, one for each account with a request quota. */
  REQUEST_COUNTERS: DurableObjectNamespace;
  /** `GooglePaceObject`, one for each Google issuer. */
  GOOGLE_PACE: DurableObjectNamespace;
  RATE_LIMITER: RateLimit;
  /** Counts requests of accounts without a quota; absent: they aren't counted. */
  ACCOUNT_RATE_LIMITER?: RateLimit;
  /** Limits by purpose; see `domain/rate-limits.ts`. Absent: nothing is limited. */
  TRAFFIC_RATE_LIMITER?: RateLimit;
  CROWD_RATE_LIMITER?: RateLimit;
  REGISTRATION_RATE_LIMITER?: RateLimit;
  ATTEMPT_RATE_LIMITER?: RateLimit;
  RECIPIENT_RATE_LIMITER?: RateLimit;
  /**
   * `off`: callers at a loopback address aren't counted, for tests and load generators on the same machine. All other
   * addresses are counted anyway, so it changes nothing in a deployment.
   */
  LIMITS_BY_ADDRESS?: string;
  /** Receives the measurements of `domain/metrics/record-metric.ts`; absent: nothing is measured. */
  METRICS?: AnalyticsEngineDataset;
  /** Sends e-mail; the domain of MAIL_FROM must be set up for it. */
  EMAIL?: SendEmail;
  /** Sender address of e-mails. */
  MAIL_FROM?: string;
  /**
   * Twilio sends text messages if these are set; AUTH_TOKEN is a secret. `TWILIO_FROM`: number, sender name or
   * messaging service.
   */
  TWILIO_ACCOUNT_SID?: string;
  TWILIO_AUTH_TOKEN?: string;
  TWILIO_FROM?: string;
  /** Origin of Twilio's API in a different region. */
  TWILIO_API_URL?: string;
  /** Public origin without a trailing slash; empty: the stored one (`domain/service-settings`), else the request's. */
  BASE_URL?: string;
  /** Secret that `/setup` asks for on the first visit; absent: the page can't set up the service. */
  SETUP_TOKEN?: string;
  /** Requests per minute and key that `RATE_LIMITER` admits. */
  RATE_LIMIT_PER_MINUTE: string;
  /**
   * Secret: keys for encryption at rest, `<id>:<32 bytes in base64>`, separated by commas. The first one encrypts, all
   * decrypt.
   */
  ENCRYPTION_KEYS?: string;
  /** Secret: one such key without an ID, which stands for `1`. One of the two settings is required. */
  ENCRYPTION_KEY?: string;
  /** `true`: allows http and local addresses as targets. Has no effect without ADMIN_TOKEN, so never in production. */
  ALLOW_LOCAL_TARGETS?: string;
  /** Set only by local scripts: opens the administration entry and marks development signing. */
  ADMIN_TOKEN?: string;
}

/** Returns a binding whose name is known only at run time; undefined if there is none. */
export function bindingNamed(env: Env, name: string): unknown {
  return Reflect.get(env, name);
}
