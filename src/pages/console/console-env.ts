import type { Context } from 'hono';
import type { AccountContext } from '../../domain/context.ts';
import type { LiveSession, MembershipOfUser, SignedInUser } from '../../domain/users/sessions.ts';
import type { PageEnv } from '../page-env.ts';

/** What a console page works with behind `requireUser`. */
export interface ConsoleEnv extends PageEnv {
  Variables: PageEnv['Variables'] & {
    user: SignedInUser;
    session: Pick<LiveSession, 'id' | 'createdAt' | 'hasPasskey'>;
    /** The accounts that the user may act for, oldest membership first. */
    memberships: MembershipOfUser[];
  };
}

export type ConsoleContext = Context<ConsoleEnv>;

/** What a page of one account works with behind `requireMembership`. */
export interface AccountEnv extends ConsoleEnv {
  Variables: ConsoleEnv['Variables'] & {
    /** Acts for the account that the address names. */
    acting: AccountContext;
    privileges: string[];
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a page takes contexts of all paths
export type AccountPageContext = Context<AccountEnv, any>;
