import type * as local from '../activity.ts';

export const noteSent: typeof local.noteSent = () => {};

export const whileRunning: typeof local.whileRunning = (_, work) => work();

export const noteEnded: typeof local.noteEnded = () => {};
