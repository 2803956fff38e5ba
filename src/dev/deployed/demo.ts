import type * as local from '../demo.ts';

export const devDemo: typeof local.devDemo = async () => undefined;
