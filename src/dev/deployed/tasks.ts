import type * as local from '../tasks.ts';

export const devTasks: typeof local.devTasks = () => ({});
