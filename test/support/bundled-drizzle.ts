import { registerHooks } from 'node:module';
import { compareClasses, DRIZZLE_CLASSES } from '../../scripts/compare-classes.ts';

/*
 * Unit tests use drizzle as it is bundled (scripts/build-worker.ts). It takes a fifth less processor time for a write.
 */

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    return DRIZZLE_CLASSES.test(url) ? { ...loaded, source: compareClasses(String(loaded.source)) } : loaded;
  },
});
