import type * as local from '../shows-dev-inbox.ts';

export const showsDevInbox: typeof local.showsDevInbox = () => false;
