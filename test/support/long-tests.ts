/** Unit tests that take seconds each: random runs, faults, scripts with processes. The quick check skips them. */
export const LONG = [
  'test/deployment.test.ts',
  'test/faults/**/*.test.ts',
  'test/domain/account-moves/{final-check,move-account,two-commands}.test.ts',
  'test/domain/pushes/google-rate.test.ts',
  'test/domain/search/{differential,phrase}.test.ts',
  'test/regular-expressions.test.ts',
  'test/scripts/{apns-relay/relay,backup-bucket,deploy,worker-process}.test.ts',
];

/** Environment variable of a run that skips them. */
export const SHORT_ONLY = 'SHORT_ONLY';
