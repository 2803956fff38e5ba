/** The Worker's bindings, variables and secrets, as `wrangler.toml` and docs/operations.md name them. */
export interface Env {
  /** The first database: the directory, and the home of shard 0. */
  DB: D1Database;
  /** Further databases, each the home of the shard of its number. */
  [further: `DB_${number}`]: D1Database | undefined;
  FILES: R2Bucket;
  /** Static assets for browsers, made by `scripts/build-clients.ts`. */
  ASSETS: Fetcher;
  IMAGES: ImagesBinding;
  /** Queues, one for each kind of work; `domain/jobs.ts` says which job goes where. */
  JOBS: Queue;
  PUSHES: Queue;
  MESSAGES: Queue;
  IMPORTS: Queue;
  WEBHOOKS: Queue;
  /** Has the cron's tasks run in each database but the first. */
  TICKS: Queue;
  /** Takes messages that ran out of attempts. Only the platform sends there; the binding has it created. */
  DEAD_LETTERS?: Queue;
  /** `BundleObject`, one for each bundle. */
  BUNDLES: DurableObjectNamespace;
  /** `ProcessObject`, one for each process. */
  PROCESSES: DurableObjectNamespace;
  /**
   * `ProcessStates` of the deployment, when an operator's Worker runs on its database; absent: PROCESSES has the
   * objects.
   */
  PROCESS_STATES?: unknown;
  /** `RequestCounterObject`, one for each account with a quota of requests. */
  REQUEST_COUNTERS: DurableObjectNamespace;
  /** `GooglePaceObject`, one for each Google issuer. */
  GOOGLE_PACE: DurableObjectNamespace;
  RATE_LIMITER: RateLimit;
  /** Counts the requests of accounts without a quota of their own; absent: nothing is counted. */
  ACCOUNT_RATE_LIMITER?: RateLimit;
  /** What each of these counts, and how many: `domain/rate-limits.ts`. Absent: nothing is limited. */
  TRAFFIC_RATE_LIMITER?: RateLimit;
  CROWD_RATE_LIMITER?: RateLimit;
  REGISTRATION_RATE_LIMITER?: RateLimit;
  ATTEMPT_RATE_LIMITER?: RateLimit;
  RECIPIENT_RATE_LIMITER?: RateLimit;
  /**
   * `off`: callers at a loopback address are not counted, for tests and load generators on the same machine. Every
   * other address is counted whatever stands here, so in a deployment it changes nothing.
   */
  LIMITS_BY_ADDRESS?: string;
  /** Takes what `domain/metrics/record-metric.ts` measures; absent: nothing is measured. */
  METRICS?: AnalyticsEngineDataset;
  /** Sends mail; the domain of MAIL_FROM must be set up for it. */
  EMAIL?: SendEmail;
  /** Address that mails come from. */
  MAIL_FROM?: string;
  /**
   * Twilio sends SMS where these are set; AUTH_TOKEN is a secret. `TWILIO_FROM`: number, sender name or messaging
   * service.
   */
  TWILIO_ACCOUNT_SID?: string;
  TWILIO_AUTH_TOKEN?: string;
  TWILIO_FROM?: string;
  /** Origin of Twilio's API in another region. */
  TWILIO_API_URL?: string;
  /** Public origin without a trailing slash; empty: the stored one (`domain/service-settings`), else the request's. */
  BASE_URL?: string;
  /** Secret that the first visit to `/setup` asks for; absent: nobody can set the service up there. */
  SETUP_TOKEN?: string;
  /** Requests a minute and key that `RATE_LIMITER` admits. */
  RATE_LIMIT_PER_MINUTE: string;
  /**
   * Secret: keys for what is encrypted at rest, `<id>:<32 bytes in base64>`, separated by commas. The first one
   * encrypts, all decrypt.
   */
  ENCRYPTION_KEYS?: string;
  /** Secret: one such key without an ID, which counts as `1`. One of the two is required. */
  ENCRYPTION_KEY?: string;
  /**
   * `true`: http and local addresses are allowed as targets. Counts only beside ADMIN_TOKEN, so never in production.
   */
  ALLOW_LOCAL_TARGETS?: string;
  /** Set by local scripts only: opens the administration entry and marks development signing. */
  ADMIN_TOKEN?: string;
}

/** A binding whose name is known only at run time; undefined when there is none. */
export function bindingNamed(env: Env, name: string): unknown {
  return Reflect.get(env, name);
}
