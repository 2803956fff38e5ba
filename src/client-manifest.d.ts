/** Written by `scripts/build-clients.ts`, so a fresh clone has none until wrangler has run. */
declare module '*/client/manifest.json' {
  const manifest: Record<string, string[]>;
  export default manifest;
}
