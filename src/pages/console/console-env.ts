import type { Context } from 'hono';
import type { MembershipOfUser, SignedInUser } from '../../domain/users/sessions.ts';
import type { PageEnv } from '../page-env.ts';

/** What a console page works with behind `requireUser`. */
export interface ConsoleEnv extends PageEnv {
  Variables: PageEnv['Variables'] & {
    user: SignedInUser;
    /** The accounts that the user may act for, oldest membership first. */
    memberships: MembershipOfUser[];
  };
}

export type ConsoleContext = Context<ConsoleEnv>;
