/** The Worker's bindings, variables and secrets, as `wrangler.toml` and the README's deployment section name them. */
export interface Env {
  DB: D1Database;
  FILES: R2Bucket;
  IMAGES: ImagesBinding;
  JOBS: Queue;
  /** `BundleObject`, one for each bundle. */
  BUNDLES: DurableObjectNamespace;
  /** `ProcessObject`, one for each process. */
  PROCESSES: DurableObjectNamespace;
  /** `GooglePaceObject`, one for each Google issuer. */
  GOOGLE_PACE: DurableObjectNamespace;
  RATE_LIMITER: RateLimit;
  /** Public origin without a trailing slash; empty: the origin of the request. */
  BASE_URL: string;
  /** Requests a minute and key that `RATE_LIMITER` admits. */
  RATE_LIMIT_PER_MINUTE: string;
  /** Secret: 32 random bytes in base64, encrypts private keys at rest. */
  ENCRYPTION_KEY: string;
  /** `true`: http and local addresses are allowed as targets. Counts only beside ADMIN_TOKEN, so never in production. */
  ALLOW_LOCAL_TARGETS?: string;
  /** Set by local scripts only: opens the administration entry and marks development signing. */
  ADMIN_TOKEN?: string;
}
